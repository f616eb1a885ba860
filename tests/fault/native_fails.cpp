// SPDX-License-Identifier: Apache-2.0
// A fill, and kernels in another queue that have nothing to do with it: what becomes of the fill is not
// theirs. With `waits`, a kernel of each round waits for the fill, and has to end as the fill does. With
// `slowly`, a kernel that cannot be split comes first in the other queue, and is under way for longer.
#include "../programs/program.h"

static bool has_failed(cl_event event) {
  cl_int status = CL_COMPLETE;
  CL_CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr));
  CL_CHECK(clReleaseEvent(event));
  return status < 0;
}

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  const bool waits = mode == "waits";
  const Cl cl = open_cl();
  const cl_command_queue other = new_queue(cl);
  const cl_program program = build(cl, R"(
    __kernel void change(__global uint* data) {
      int i = get_global_id(0);
      uint v = data[i];
      for (int k = 0; k < 300; ++k) v = v * 1664525u + 1013904223u + k;
      data[i] = v;
    }
    __kernel void change_slowly(__global uint* data, __global uint* count) {
      int i = get_global_id(0);
      uint v = data[i];
      for (int k = 0; k < 40000; ++k) v = v * 1664525u + 1013904223u + k;
      data[i] = v;
      atomic_inc(count);
    })");
  const cl_kernel change = kernel_of(program, "change");
  const size_t count = 1 << 18;
  const cl_mem data = buffer_of(cl, noise<cl_uint>(count, 1));
  const cl_mem filled = buffer_of(cl, noise<cl_uint>(count, 2));
  set_args(change, data);
  const cl_kernel change_slowly = kernel_of(program, "change_slowly");
  set_args(change_slowly, data, buffer_of(cl, noise<cl_uint>(1, 3)));
  for (int i = 0; i < 4; ++i) {
    const cl_uint zero = 0;
    cl_event fill = nullptr;
    CL_CHECK(clEnqueueFillBuffer(cl.queue, filled, &zero, sizeof zero, 0, count * sizeof zero, 0, nullptr,
                                 waits ? &fill : nullptr));
    CL_CHECK(clFlush(cl.queue));
    if (mode == "slowly") launch(other, change_slowly, {count / 64}, {64});
    launch(other, change, {count}, {64});
    if (waits) {
      const cl_command_queue behind = new_queue(cl);
      const size_t groups = 64;
      cl_event kernel = nullptr;
      CL_CHECK(clEnqueueNDRangeKernel(behind, change, 1, nullptr, &count, &groups, 1, &fill, &kernel));
      CL_CHECK(clFlush(behind));
      (void)clWaitForEvents(1, &kernel);
      std::printf("it %s\n", has_failed(kernel) == has_failed(fill) ? "ends as the fill" : "ends otherwise");
      CL_CHECK(clReleaseCommandQueue(behind));
      continue;
    }
    launch(other, change, {count}, {64});
    cl_event marker = nullptr;
    CL_CHECK(clEnqueueMarkerWithWaitList(other, 0, nullptr, &marker));
    CL_CHECK(clWaitForEvents(1, &marker));
    CL_CHECK(clReleaseEvent(marker));
    std::vector<cl_uint> host(count);
    CL_CHECK(clEnqueueReadBuffer(other, data, CL_TRUE, 0, count * sizeof(cl_uint), host.data(), 0, nullptr,
                                 nullptr));
    report("changed", host);
    (void)clFinish(cl.queue);
  }
}
