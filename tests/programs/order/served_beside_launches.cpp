// SPDX-License-Identifier: Apache-2.0
// One thread keeps launches under way. Another maps a buffer on a command-queue of its own, and is served
// meanwhile.
#include "stir.h"

#include <atomic>
#include <chrono>
#include <deque>
#include <thread>

int main() {
  constexpr size_t count = 200000;
  const Cl cl = open_cl();
  const cl_kernel kernel = stir_kernel(cl);
  const cl_mem stirred = buffer_of(cl, noise<cl_int>(count, 9)),
               mapped = buffer_of(cl, noise<cl_int>(1024, 3));
  set_args(kernel, stirred);
  const cl_command_queue other = new_queue(cl);
  const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  std::atomic<bool> served{false};
  std::atomic<int> launched{0};
  std::thread mapper([&] {
    while (launched < 8)
      std::this_thread::yield();
    for (int i = 0; i < 5; ++i) {
      cl_int error = CL_SUCCESS;
      void* const bytes =
          clEnqueueMapBuffer(other, mapped, CL_TRUE, CL_MAP_READ, 0, 64, 0, nullptr, nullptr, &error);
      CL_CHECK(error);
      CL_CHECK(clEnqueueUnmapMemObject(other, mapped, bytes, 0, nullptr, nullptr));
    }
    served = true;
  });
  std::deque<cl_event> under_way;
  bool in_time = true;
  while ((!served || launched < 8) && in_time) {
    under_way.push_back(launch_after(cl.queue, kernel, count, {}));
    CL_CHECK(clFlush(cl.queue));
    ++launched;
    if (under_way.size() > 4) {
      CL_CHECK(clWaitForEvents(1, &under_way.front()));
      CL_CHECK(clReleaseEvent(under_way.front()));
      under_way.pop_front();
    }
    in_time = std::chrono::steady_clock::now() < latest;
  }
  std::printf("served in time: %d\n", int(in_time));
  CL_CHECK(clFinish(cl.queue));
  mapper.join();
  for (const cl_event event : under_way)
    CL_CHECK(clReleaseEvent(event));
}
