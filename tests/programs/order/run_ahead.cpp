// SPDX-License-Identifier: Apache-2.0
// Hundreds of launches and never a wait. A scheduler that lets the program run ahead plans most of them
// before the first has shown how long it takes.
#include "program.h"

int main(int argc, char** argv) {
  const size_t count = size_argument(argc, argv, 16384);  // a multiple of 64
  const Cl cl = open_cl();
  const cl_kernel stir = kernel_of(build(cl, R"(
    __kernel void stir(__global const int* in, __global int* out, int rounds) {
      int i = get_global_id(0), x = in[i] + in[i ^ 63];
      for (int k = 0; k < rounds; ++k) x = x * 31 + k;
      out[i] = x;
    })"),
                                   "stir");
  cl_mem in = buffer_of(cl, noise<cl_int>(count, 1));
  cl_mem out = buffer_of(cl, noise<cl_int>(count, 2));
  for (cl_int i = 0; i < 400; ++i) {
    set_args(stir, in, out, 40 + i % 7);
    launch(cl, stir, {count}, {64});
    std::swap(in, out);
  }
  report<cl_int>(cl, "data", in, count);
}
