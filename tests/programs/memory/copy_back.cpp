// SPDX-License-Identifier: Apache-2.0
// An iteration as many programs have it: clear a sum, compute from one buffer into another, copy it back.
#include "program.h"

int main(int argc, char** argv) {
  const size_t count = size_argument(argc, argv, 65536);  // a multiple of 64
  const int iterations = argc > 2 ? std::atoi(argv[2]) : 30;
  const Cl cl = open_cl();
  const cl_kernel kernel = kernel_of(build(cl, R"(
    __kernel void relax(__global const float* in, __global float* out, __global float* sum) {
      int i = get_global_id(0);
      float x = in[i];
      for (int k = 0; k < 400; ++k) x = x * 0.999f + 0.001f * k;
      out[i] = x;
      sum[i] += x;
    })"),
                                     "relax");
  const cl_mem in = buffer_of(cl, noise<float>(count, 1));
  const cl_mem out = new_buffer(cl, count * sizeof(float));
  const cl_mem sum = new_buffer(cl, count * sizeof(float));
  const float zero = 0;
  for (int i = 0; i < iterations; ++i) {
    CL_CHECK(
        clEnqueueFillBuffer(cl.queue, sum, &zero, sizeof zero, 0, count * sizeof zero, 0, nullptr, nullptr));
    set_args(kernel, in, out, sum);
    launch(cl, kernel, {count}, {64});
    CL_CHECK(clEnqueueCopyBuffer(cl.queue, out, in, 0, 0, count * sizeof(float), 0, nullptr, nullptr));
  }
  report<float>(cl, "in", in, count);
  report<float>(cl, "sum", sum, count);
}
