// SPDX-License-Identifier: Apache-2.0
// Launches without a local size, with large offsets, and of kernels that ask for sizes: what a compiler knows
// of ids and sizes shows in last bits, or in PoCL's case in integers.
#include "program.h"

int main() {
  constexpr size_t count = 70400;
  const Cl cl = open_cl();
  const cl_program program = build(cl, R"(
    size_t groups(uint d) { return get_num_groups(d); }
    __kernel void of_id(__global const float* in, __global float* out) {
      int i = get_global_id(0) - get_global_offset(0);
      out[i] = (float)(i & 7) * 0.1f + in[i];
    }
    __kernel void of_groups(__global const float* in, __global float* out) {
      int i = get_global_id(0) - get_global_offset(0);
      out[i] = ((float)(max((int)groups(0), 0) >> 20) + 2.1f) * 0.1f + in[i];
    }
    __kernel void of_offset(__global const float* in, __global float* out) {
      int i = get_global_id(0) - get_global_offset(0);
      out[i] = (int)(get_global_offset(0) >> 17) + in[i];
    })");
  const cl_mem in = buffer_of(cl, noise<float>(count, 1)), out = new_buffer(cl, count * sizeof(float));
  const auto show = [&](const char* name, size_t items, const size_t* local, size_t offset) {
    const cl_kernel kernel = kernel_of(program, name);
    const float zero = 0;
    CL_CHECK(
        clEnqueueFillBuffer(cl.queue, out, &zero, sizeof zero, 0, count * sizeof zero, 0, nullptr, nullptr));
    set_args(kernel, in, out);
    CL_CHECK(clEnqueueNDRangeKernel(cl.queue, kernel, 1, &offset, &items, local, 0, nullptr, nullptr));
    report<float>(cl, name, out, count);
    CL_CHECK(clReleaseKernel(kernel));
  };
  const size_t local = 64;
  for (const size_t items : {1024, 2048, 4096})
    show("of_id", items, nullptr, 0);
  show("of_id", count, &local, 0);
  show("of_groups", count, &local, 0);
  show("of_groups", 4096, &local, 0);
  show("of_offset", count, &local, 200000);
  show("of_offset", 7040, &local, 200000);
  show("of_offset", 7040, &local, 64);
  show("of_id", count, &local, 64);
}
