// SPDX-License-Identifier: Apache-2.0
// Double precision: a matrix product and a solver-like update, on rows and columns.
#include "program.h"

int main(int argc, char** argv) {
  const int n = int(size_argument(argc, argv, 250));
  const size_t count = size_t(n) * n;
  const Cl cl = open_cl();
  const cl_program program = build(cl, R"(
    #pragma OPENCL EXTENSION cl_khr_fp64 : enable
    __kernel void product(__global const double* a, __global const double* b, __global double* c, int n,
                          double alpha, double beta) {
      int j = get_global_id(0), i = get_global_id(1);
      if (i >= n || j >= n) return;
      c[i * n + j] *= beta;
      for (int k = 0; k < n; ++k) c[i * n + j] += alpha * a[i * n + k] * b[k * n + j];
    })");
  const cl_kernel product = kernel_of(program, "product");
  const cl_mem a = buffer_of(cl, noise<cl_double>(count, 1));
  const cl_mem b = buffer_of(cl, noise<cl_double>(count, 2));
  const cl_mem c = buffer_of(cl, noise<cl_double>(count, 3));
  const cl_mem d = buffer_of(cl, noise<cl_double>(count, 4));
  const size_t rows = round_up(size_t(n), 8);
  const size_t columns = round_up(size_t(n), 32);
  // The shape of PolyBench's 2mm and 3mm: each product uses the one before.
  set_args(product, a, b, c, cl_int(n), 1.5, 1.25);
  launch(cl, product, {columns, rows}, {32, 8});
  set_args(product, c, b, d, cl_int(n), 0.5, 0.75);
  launch(cl, product, {columns, rows}, {32, 8});
  set_args(product, d, c, a, cl_int(n), 0.25, 1.0);
  launch(cl, product, {columns, rows}, {32, 8});
  report<cl_double>(cl, "a", a, count);
  report<cl_double>(cl, "c", c, count);
  report<cl_double>(cl, "d", d, count);
}
