// SPDX-License-Identifier: Apache-2.0
// Tiled matrix products and transposes with local memory in one chain, as the benchmark programs do. A
// column-wise kernel on the result follows: slices by rows meet slices by columns.
#include "program.h"

int main(int argc, char** argv) {
  const int n = int(size_argument(argc, argv, 230));
  const size_t count = size_t(n) * n;
  const Cl cl = open_cl();
  const cl_program program = build(cl, R"(
    #define TILE 8
    __kernel void multiply(__global const float* a, __global const float* b, __global float* c, int n) {
      __local float at[TILE][TILE], bt[TILE][TILE];
      int x = get_local_id(0), y = get_local_id(1);
      int column = get_group_id(0) * TILE + x, row = get_group_id(1) * TILE + y;
      float sum = 0.0f;
      for (int k = 0; k < n; k += TILE) {
        at[y][x] = row < n && k + x < n ? a[row * n + k + x] : 0.0f;
        bt[y][x] = k + y < n && column < n ? b[(k + y) * n + column] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < TILE; ++i) sum += at[y][i] * bt[i][x];
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      if (row < n && column < n) c[row * n + column] = sum;
    }
    __kernel void transpose(__global const float* in, __global float* out, int n) {
      __local float tile[TILE][TILE + 1];
      int x = get_local_id(0), y = get_local_id(1);
      int column = get_global_id(0), row = get_global_id(1);
      if (column < n && row < n) tile[y][x] = in[row * n + column];
      barrier(CLK_LOCAL_MEM_FENCE);
      column = get_group_id(1) * TILE + x;
      row = get_group_id(0) * TILE + y;
      if (column < n && row < n) out[row * n + column] = tile[x][y];
    }
    __kernel void normalise_columns(__global float* a, int n) {
      int column = get_global_id(0);
      if (column >= n) return;
      float sum = 0.0f;
      for (int row = 0; row < n; ++row) sum += fabs(a[row * n + column]);
      for (int row = 0; row < n; ++row) a[row * n + column] /= sum + 1.0f;
    })");
  const cl_kernel multiply = kernel_of(program, "multiply");
  const cl_kernel transpose = kernel_of(program, "transpose");
  const cl_kernel normalise = kernel_of(program, "normalise_columns");
  cl_mem a = buffer_of(cl, noise<cl_float>(count, 1));
  cl_mem b = buffer_of(cl, noise<cl_float>(count, 2));
  cl_mem c = new_buffer(cl, count * 4);
  const size_t side = round_up(size_t(n), 8);
  for (int i = 0; i < 3; ++i) {
    set_args(multiply, a, b, c, cl_int(n));
    launch(cl, multiply, {side, side}, {8, 8});
    set_args(transpose, c, a, cl_int(n));
    launch(cl, transpose, {side, side}, {8, 8});
    set_args(normalise, a, cl_int(n));
    launch(cl, normalise, {side}, {8});
  }
  report<cl_float>(cl, "a", a, count);
  report<cl_float>(cl, "c", c, count);
}
