// SPDX-License-Identifier: Apache-2.0
// A kernel of one work-group and a read that nobody waits for; a large kernel in another queue; then a marker
// behind the read. When the marker's event is complete, so is the read. The same with a barrier.
#include "program.h"

int main(int argc, char** argv) {
  const size_t count = size_argument(argc, argv, 400000);
  const Cl cl = open_cl();
  const cl_command_queue other = new_queue(cl);
  const cl_program program = build(cl, R"(
    __kernel void slow(__global int* d, int rounds) {
      int x = d[get_global_id(0)];
      for (int k = 0; k < rounds; ++k) x = x * 31 + k;
      d[get_global_id(0)] = x;
    }
    __kernel void large(__global const int* in, __global int* out) {
      int i = get_global_id(0), x = in[i];
      for (int k = 0; k < 400; ++k) x = x * 7 + k;
      out[i] = x;
    })");
  const cl_kernel slow = kernel_of(program, "slow");
  const cl_kernel large = kernel_of(program, "large");
  constexpr size_t kFew = 16;
  const cl_mem few = buffer_of(cl, noise<cl_int>(kFew, 3));
  const cl_mem in = buffer_of(cl, noise<cl_int>(count, 4));
  const cl_mem out = new_buffer(cl, count * sizeof(cl_int));
  set_args(large, in, out);
  for (int i = 0; i < 6; ++i) {
    std::vector<cl_int> host(kFew, -1);
    set_args(slow, few, cl_int(8'000'000 + i));
    launch(cl, slow, {kFew}, {kFew});
    CL_CHECK(clEnqueueReadBuffer(cl.queue, few, CL_FALSE, 0, kFew * sizeof(cl_int), host.data(), 0, nullptr,
                                 nullptr));
    CL_CHECK(clFlush(cl.queue));
    launch(other, large, {count}, {64});
    cl_event event = nullptr;
    if (i % 2 == 0)
      CL_CHECK(clEnqueueMarkerWithWaitList(cl.queue, 0, nullptr, &event));
    else
      CL_CHECK(clEnqueueBarrierWithWaitList(cl.queue, 0, nullptr, &event));
    CL_CHECK(clWaitForEvents(1, &event));
    report("read", host);
    CL_CHECK(clReleaseEvent(event));
    CL_CHECK(clFinish(cl.queue));
    CL_CHECK(clFinish(other));
  }
  report<cl_int>(cl, "large", out, count);
  close_cl(cl);
}
