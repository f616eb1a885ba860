// SPDX-License-Identifier: Apache-2.0
// A function that frees shared virtual memory waits for what the program does after it has enqueued more.
// No call in between may wait for it.
#undef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#include "stir.h"

#include <atomic>

static std::atomic<bool> told{false};

static void CL_CALLBACK wait_to_be_told(cl_command_queue queue, cl_uint count, void** pointers, void*) {
  told.wait(false);
  std::printf("%u to free\n", count);
  cl_context context = nullptr;
  CL_CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(cl_context), &context, nullptr));
  clSVMFree(context, pointers[0]);
}

int main() {
  constexpr size_t count = 50000;
  const Cl cl = open_cl();
  void* shared = clSVMAlloc(cl.context, CL_MEM_READ_WRITE, 4096, 0);
  std::printf("shared virtual memory %d\n", shared != nullptr);
  if (shared == nullptr) return 0;
  const cl_command_queue other = new_queue(cl);
  const cl_kernel kernel = stir_kernel(cl);
  const cl_mem buffer = buffer_of(cl, noise<cl_int>(count, 2));
  set_args(kernel, buffer);
  launch(cl, kernel, {count}, {50});
  CL_CHECK(clFinish(cl.queue));
  CL_CHECK(clEnqueueSVMFree(other, 1, &shared, wait_to_be_told, nullptr, 0, nullptr, nullptr));
  CL_CHECK(clFlush(other));
  launch(cl, kernel, {count}, {50});
  cl_int error = CL_SUCCESS;
  void* data = clEnqueueMapBuffer(cl.queue, buffer, CL_TRUE, CL_MAP_READ, 0, count * sizeof(cl_int), 0,
                                  nullptr, nullptr, &error);
  CL_CHECK(error);
  told.store(true);
  told.notify_all();
  CL_CHECK(clFinish(other));
  CL_CHECK(clEnqueueUnmapMemObject(cl.queue, buffer, data, 0, nullptr, nullptr));
  report<cl_int>(cl, "data", buffer, count);
}
