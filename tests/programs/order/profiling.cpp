// SPDX-License-Identifier: Apache-2.0
// Profiling information is there for every kind of command, in order within a command, and not before the
// commands it follows in an in-order queue.
#include "stir.h"

int main() {
  constexpr size_t count = 200000;
  const Cl cl = open_cl(CL_QUEUE_PROFILING_ENABLE);
  const cl_kernel kernel = stir_kernel(cl);
  const cl_mem buffer = buffer_of(cl, noise<cl_int>(count, 9));
  const cl_mem copy = new_buffer(cl, count * 4);
  set_args(kernel, buffer);
  std::vector<cl_int> host(count);
  cl_event events[6];
  const cl_int pattern = 3;
  CL_CHECK(
      clEnqueueWriteBuffer(cl.queue, buffer, CL_FALSE, 0, count * 4, host.data(), 0, nullptr, &events[0]));
  events[1] = launch_after(cl.queue, kernel, count);
  events[2] = launch_after(cl.queue, kernel, count);
  CL_CHECK(clEnqueueCopyBuffer(cl.queue, buffer, copy, 0, 0, count * 4, 0, nullptr, &events[3]));
  CL_CHECK(clEnqueueFillBuffer(cl.queue, buffer, &pattern, 4, 0, count * 4, 0, nullptr, &events[4]));
  CL_CHECK(clEnqueueReadBuffer(cl.queue, copy, CL_FALSE, 0, count * 4, host.data(), 0, nullptr, &events[5]));
  CL_CHECK(clFinish(cl.queue));
  cl_ulong previous_end = 0;
  for (const cl_event event : events) {
    cl_command_type type = 0;
    CL_CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, nullptr));
    cl_ulong times[4];
    const cl_profiling_info names[4] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                        CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
    for (int i = 0; i < 4; ++i)
      CL_CHECK(clGetEventProfilingInfo(event, names[i], sizeof(times[i]), &times[i], nullptr));
    const bool ordered = times[0] && times[0] <= times[1] && times[1] <= times[2] && times[2] <= times[3];
    std::printf("type %x: in order %d, after the one before %d", type, int(ordered),
                int(times[2] >= previous_end));
    if (type == CL_COMMAND_NDRANGE_KERNEL)  // 60 million operations cannot take less, nor this long
      std::printf(", plausible %d",
                  int(times[3] - times[2] > 1'000'000 && times[3] - times[2] < 10'000'000'000));
    std::printf("\n");
    previous_end = times[3];
    CL_CHECK(clReleaseEvent(event));
  }
  report("copied", host);
  // A queue without profiling refuses.
  const cl_command_queue plain = new_queue(cl);
  cl_event event = nullptr;
  cl_ulong time = 0;
  CL_CHECK(clEnqueueReadBuffer(plain, copy, CL_TRUE, 0, 4, host.data(), 0, nullptr, &event));
  std::printf("without profiling: %d\n",
              clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(time), &time, nullptr));
  CL_CHECK(clReleaseEvent(event));
}
