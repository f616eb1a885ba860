// SPDX-License-Identifier: Apache-2.0
// A native kernel waits for what the program does after it has enqueued more: no call in between may wait for
// that native kernel. It gives up after a while, and then says so.
#include "stir.h"

#include <atomic>
#include <chrono>
#include <thread>

static std::atomic<bool> told{false};

static void CL_CALLBACK wait_to_be_told(void* arguments) {
  const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!told.load() && std::chrono::steady_clock::now() < latest)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  **static_cast<cl_int**>(arguments) = told.load() ? 1 : -1;
}

int main() {
  constexpr size_t count = 50000;
  const Cl cl = open_cl();
  const cl_kernel kernel = stir_kernel(cl);
  const cl_mem buffer = buffer_of(cl, noise<cl_int>(count, 2)), answer = buffer_of(cl, noise<cl_int>(1, 3));
  set_args(kernel, buffer);
  launch(cl, kernel, {count}, {50});
  CL_CHECK(clFinish(cl.queue));
  struct {
    cl_mem data;
  } arguments = {answer};
  const void* where = &arguments.data;
  const cl_int code = clEnqueueNativeKernel(cl.queue, wait_to_be_told, &arguments, sizeof(arguments), 1,
                                            &answer, &where, 0, nullptr, nullptr);
  std::printf("native kernel %d\n", code);
  CL_CHECK(clFlush(cl.queue));
  launch(cl, kernel, {count}, {50});
  cl_int error = CL_SUCCESS;
  cl_event mapped = nullptr;
  auto* const data = static_cast<cl_int*>(clEnqueueMapBuffer(
      cl.queue, buffer, CL_FALSE, CL_MAP_READ, 0, count * sizeof(cl_int), 0, nullptr, &mapped, &error));
  CL_CHECK(error);
  told.store(true);
  CL_CHECK(clWaitForEvents(1, &mapped));
  CL_CHECK(clReleaseEvent(mapped));
  CL_CHECK(clEnqueueUnmapMemObject(cl.queue, buffer, data, 0, nullptr, nullptr));
  report<cl_int>(cl, "data", buffer, count);
  if (code == CL_SUCCESS) report<cl_int>(cl, "told", answer, 1);
}
