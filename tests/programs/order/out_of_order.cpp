// SPDX-License-Identifier: Apache-2.0
// An out-of-order queue ordered by events only: a diamond of kernels repeated many times, barriers and
// markers with and without wait lists.
#include "stir.h"

int main(int argc, char** argv) {
  const size_t count = size_argument(argc, argv, 100000);
  const Cl cl = open_cl(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  const cl_program program = build(cl, R"(
    __kernel void spread(__global const int* in, __global int* out, int m) {
      int i = get_global_id(0), x = in[i];
      for (int k = 0; k < 200; ++k) x = x * m + k;
      out[i] = x;
    }
    __kernel void join(__global const int* a, __global const int* b, __global int* out) {
      int i = get_global_id(0);
      out[i] = a[i] ^ (b[i] * 3);
    })");
  const cl_kernel spread = kernel_of(program, "spread");
  const cl_kernel join = kernel_of(program, "join");
  const cl_mem top = buffer_of(cl, noise<cl_int>(count, 1));
  const cl_mem left = new_buffer(cl, count * 4), right = new_buffer(cl, count * 4);
  cl_event last = nullptr;
  for (int round = 0; round < 6; ++round) {
    std::vector<cl_event> wait;
    if (last) wait.push_back(last);
    set_args(spread, top, left, cl_int(3 + round));
    const cl_event a = launch_after(cl.queue, spread, count, wait);
    set_args(spread, top, right, cl_int(7 + round));
    const cl_event b = launch_after(cl.queue, spread, count, wait);
    set_args(join, left, right, top);
    const cl_event c = launch_after(cl.queue, join, count, {b, a});
    for (const cl_event event : {a, b})
      CL_CHECK(clReleaseEvent(event));
    if (last) CL_CHECK(clReleaseEvent(last));
    last = c;
  }
  CL_CHECK(clWaitForEvents(1, &last));
  CL_CHECK(clReleaseEvent(last));
  report<cl_int>(cl, "diamonds", top, count);

  cl_event marker = nullptr;
  set_args(spread, top, left, cl_int(2));
  const cl_event first = launch_after(cl.queue, spread, count, {});
  CL_CHECK(clEnqueueBarrierWithWaitList(cl.queue, 1, &first, nullptr));
  set_args(spread, left, right, cl_int(5));
  CL_CHECK(clReleaseEvent(launch_after(cl.queue, spread, count, {})));
  CL_CHECK(clEnqueueMarkerWithWaitList(cl.queue, 0, nullptr, &marker));
  CL_CHECK(clWaitForEvents(1, &marker));
  for (const cl_event event : {first, marker})
    CL_CHECK(clReleaseEvent(event));
  report<cl_int>(cl, "barrier", right, count);
  set_args(spread, right, left, cl_int(5));
  CL_CHECK(clReleaseEvent(launch_after(cl.queue, spread, count, {})));
  CL_CHECK(clEnqueueBarrierWithWaitList(cl.queue, 0, nullptr, nullptr));
  set_args(spread, left, top, cl_int(11));
  CL_CHECK(clReleaseEvent(launch_after(cl.queue, spread, count, {})));
  CL_CHECK(clFinish(cl.queue));
  report<cl_int>(cl, "barrier without list", top, count);
}
