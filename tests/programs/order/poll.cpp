// SPDX-License-Identifier: Apache-2.0
// clFlush, then clGetEventInfo in a loop until the event says complete: it must, without any blocking call.
#include "stir.h"

#include <unistd.h>

int main() {
  const Cl cl = open_cl();
  const cl_kernel kernel = stir_kernel(cl);
  constexpr size_t count = 200000;
  const cl_mem buffer = buffer_of(cl, noise<cl_int>(count, 9));
  set_args(kernel, buffer);
  for (int round = 0; round < 4; ++round) {
    cl_event event = launch_after(cl.queue, kernel, count);
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
