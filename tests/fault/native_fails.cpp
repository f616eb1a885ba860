// SPDX-License-Identifier: Apache-2.0
// A fill, and kernels in another queue that have nothing to do with it: what becomes of the fill is not
// theirs.
#include "../programs/program.h"

int main() {
  const Cl cl = open_cl();
  const cl_command_queue other = new_queue(cl);
  const cl_program program = build(cl, R"(
    __kernel void change(__global uint* data) {
      int i = get_global_id(0);
      uint v = data[i];
      for (int k = 0; k < 300; ++k) v = v * 1664525u + 1013904223u + k;
      data[i] = v;
    })");
  const cl_kernel change = kernel_of(program, "change");
  const size_t count = 1 << 18;
  const cl_mem data = buffer_of(cl, noise<cl_uint>(count, 1));
  const cl_mem filled = buffer_of(cl, noise<cl_uint>(count, 2));
  set_args(change, data);
  for (int i = 0; i < 4; ++i) {
    const cl_uint zero = 0;
    CL_CHECK(clEnqueueFillBuffer(cl.queue, filled, &zero, sizeof zero, 0, count * sizeof zero, 0, nullptr,
                                 nullptr));
    CL_CHECK(clFlush(cl.queue));
    launch(other, change, {count}, {64});
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
