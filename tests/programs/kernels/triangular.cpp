// SPDX-License-Identifier: Apache-2.0
// Work that differs between work-groups. Triangular loops in 1-D and 2-D have a length that depends on the
// row, so that equal numbers of groups are not equal work. There is an in-place symmetric update, too.
#include "program.h"

int main(int argc, char** argv) {
  const int n = int(size_argument(argc, argv, 600));
  const size_t count = size_t(n) * n;
  const Cl cl = open_cl();
  const cl_program program = build(cl, R"(
    __kernel void lower_product(__global const float* a, __global const float* b, __global float* c, int n) {
      int column = get_global_id(0), row = get_global_id(1);
      if (row >= n || column >= n) return;
      float sum = 0.0f;
      for (int k = 0; k <= row; ++k) sum += a[row * n + k] * b[k * n + column];
      c[row * n + column] = sum;
    }
    __kernel void row_tails(__global const float* a, __global float* sums, int n) {
      int row = get_global_id(0);
      if (row >= n) return;
      float sum = 0.0f;
      for (int k = row; k < n; ++k)
        for (int j = 0; j < 8; ++j) sum += a[row * n + k] * (float)j;
      sums[row] = sum;
    }
    __kernel void covariance(__global const float* a, __global float* c, int n) {
      int i = get_global_id(0);
      if (i >= n) return;
      for (int j = i; j < n; ++j) {
        float sum = 0.0f;
        for (int k = 0; k < 16; ++k) sum += a[k * n + i] * a[k * n + j];
        c[i * n + j] = sum;
        c[j * n + i] = sum;
      }
    })");
  const cl_mem a = buffer_of(cl, noise<cl_float>(count, 1));
  const cl_mem b = buffer_of(cl, noise<cl_float>(count, 2));
  const cl_mem c = new_buffer(cl, count * 4);
  const cl_mem sums = new_buffer(cl, size_t(n) * 4);
  const size_t side = round_up(size_t(n), 8);
  const cl_kernel product = kernel_of(program, "lower_product");
  set_args(product, a, b, c, cl_int(n));
  launch(cl, product, {side, side}, {8, 8});
  report<cl_float>(cl, "product", c, count);
  const cl_kernel tails = kernel_of(program, "row_tails");
  set_args(tails, c, sums, cl_int(n));
  launch(cl, tails, {side}, {8});
  report<cl_float>(cl, "tails", sums, size_t(n));
  const cl_kernel covariance = kernel_of(program, "covariance");
  set_args(covariance, a, c, cl_int(n));
  launch(cl, covariance, {side}, {8});
  report<cl_float>(cl, "covariance", c, count);
}
