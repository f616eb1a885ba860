// SPDX-License-Identifier: Apache-2.0
// Commands held back by user events. One event completes, and one is set from another thread while the main
// thread waits. One fails and takes its followers with it.
#include "stir.h"

#include <thread>
#include <unistd.h>

int main() {
  constexpr size_t count = 50000;
  const Cl cl = open_cl(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  const cl_kernel kernel = stir_kernel(cl);
  const cl_mem buffer = buffer_of(cl, noise<cl_int>(count, 9));
  set_args(kernel, buffer);
  cl_int error = CL_SUCCESS;
  for (const bool from_thread : {false, true}) {
    const cl_event gate = clCreateUserEvent(cl.context, &error);
    CL_CHECK(error);
    cl_event done = launch_after(cl.queue, kernel, count, {gate});
    CL_CHECK(clFlush(cl.queue));
    usleep(20000);
    cl_int status = 0;
    CL_CHECK(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, nullptr));
    std::printf("held back: %d\n", int(status > CL_RUNNING));
    std::thread opener;
    if (from_thread)
      opener = std::thread([gate] {
        usleep(20000);
        CL_CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
      });
    else
      CL_CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CL_CHECK(clWaitForEvents(1, &done));
    if (opener.joinable()) opener.join();
    std::printf("set again: %d\n", clSetUserEventStatus(gate, CL_COMPLETE));
    CL_CHECK(clReleaseEvent(done));
    CL_CHECK(clReleaseEvent(gate));
    report<cl_int>(cl, "after the gate", buffer, count);
  }
  const cl_event gate = clCreateUserEvent(cl.context, &error);
  CL_CHECK(error);
  cl_event done = launch_after(cl.queue, kernel, count, {gate});
  CL_CHECK(clSetUserEventStatus(gate, -7));
  std::printf("wait for failed: %d\n", clWaitForEvents(1, &done));
  cl_int status = 0;
  CL_CHECK(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, nullptr));
  std::printf("failed: %d\n", int(status < 0));
  CL_CHECK(clReleaseEvent(done));
  CL_CHECK(clReleaseEvent(gate));
  report<cl_int>(cl, "unchanged", buffer, count);
}
