// SPDX-License-Identifier: Apache-2.0
// The plainest program: linked with libOpenCL, one kernel, explicit clean-up of everything. The kernel
// does enough work per element to be worth splitting at the default size.
#include "program.h"

int main(int argc, char** argv) {
  const size_t n = size_argument(argc, argv, 300000);
  const Cl cl = open_cl();
  const cl_program program = build(cl, R"(
    __kernel void orbit(__global const float* in, __global float* out, int n) {
      int i = get_global_id(0);
      if (i >= n) return;
      float x = in[i];
      for (int k = 0; k < 64; ++k)
        x = 3.5f * x * (1.0f - x) * 0.25f + in[i];
      out[i] = x;
    })");
  const cl_kernel kernel = kernel_of(program, "orbit");
  const cl_mem in = buffer_of(cl, noise<float>(n, 1));
  const cl_mem out = new_buffer(cl, n * sizeof(float));
  set_args(kernel, in, out, cl_int(n));
  for (int i = 0; i < 3; ++i)
    launch(cl, kernel, {round_up(n, 64)}, {64});
  report<float>(cl, "orbit", out, n);
  CL_CHECK(clReleaseMemObject(in));
  CL_CHECK(clReleaseMemObject(out));
  CL_CHECK(clReleaseKernel(kernel));
  CL_CHECK(clReleaseProgram(program));
  close_cl(cl);
  return 7;  // the exit code must arrive too
}
