// SPDX-License-Identifier: Apache-2.0
// clFlush, then clGetEventInfo in a loop until the event says complete: it must, without any blocking call.
#include "program.h"

#include <unistd.h>

int main() {
  const Cl cl = open_cl();
  const cl_kernel kernel = kernel_of(build(cl, R"(
    __kernel void stir(__global int* data) {
      int i = get_global_id(0);
      int x = data[i];
      for (int k = 0; k < 300; ++k) x = x * 31 + k;
      data[i] = x;
    })"),
                                     "stir");
  constexpr size_t count = 200000;
  const cl_mem buffer = buffer_of(cl, noise<cl_int>(count, 9));
  set_args(kernel, buffer);
  for (int round = 0; round < 4; ++round) {
    cl_event event = nullptr;
    const size_t global = count;
    const size_t local = 50;
    CL_CHECK(clEnqueueNDRangeKernel(cl.queue, kernel, 1, nullptr, &global, &local, 0, nullptr, &event));
    CL_CHECK(clFlush(cl.queue));
    cl_int status = CL_QUEUED;
    do {
      CL_CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, nullptr));
      if (round % 2) usleep(100);  // some programs sleep, some do not
    } while (status > CL_COMPLETE);
    std::printf("status %d\n", status);
    CL_CHECK(clReleaseEvent(event));
  }
  std::vector<cl_int> result(count);
  cl_event event = nullptr;
  CL_CHECK(clEnqueueReadBuffer(cl.queue, buffer, CL_FALSE, 0, count * sizeof(cl_int), result.data(), 0,
                               nullptr, &event));
  CL_CHECK(clFlush(cl.queue));
  cl_int status = CL_QUEUED;
  while (status > CL_COMPLETE)
    CL_CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, nullptr));
  CL_CHECK(clReleaseEvent(event));
  report("read", result);
}
