// SPDX-License-Identifier: Apache-2.0
// Kernels that read what other work-items of the same launch may write. The results are well defined: red
// and black cells, one work-group only, a field that no longer changes. Only a careful analysis may split
// the first, and none may split the others.
#include "program.h"

int main(int argc, char** argv) {
  const int n = int(size_argument(argc, argv, 400));
  const size_t count = size_t(n) * n;
  const Cl cl = open_cl();
  const cl_program program = build(cl, R"(
    __kernel void red_black(__global int* grid, int n, int colour) {
      int x = get_global_id(0), y = get_global_id(1);
      if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1 || ((x + y) & 1) != colour) return;
      int v = grid[y * n + x - 1] + grid[y * n + x + 1] + grid[(y - 1) * n + x] + grid[(y + 1) * n + x];
      for (int k = 0; k < 60; ++k) v = v * 31 + k;
      grid[y * n + x] = v;
    }
    __kernel void smooth(__global float* field, int n) {
      int i = get_global_id(0);
      if (i > 0 && i < n - 1)
        field[i] = (field[i - 1] + field[i] + field[i + 1]) / 3.0f;
    }
    __kernel void prefix_sum(__global int* data, int n) {
      int lane = get_local_id(0), lanes = get_local_size(0);
      for (int d = 1; d < n; d *= 2) {
        // Strided over the only group, highest elements first within a lane.
        for (int i = n - 1 - lane; i >= 0; i -= lanes) {
          int v = i >= d ? data[i - d] : 0;
          barrier(CLK_GLOBAL_MEM_FENCE);
          data[i] += v;
          barrier(CLK_GLOBAL_MEM_FENCE);
        }
      }
    })");
  const cl_mem grid = buffer_of(cl, noise<cl_int>(count, 1));
  const cl_kernel red_black = kernel_of(program, "red_black");
  const size_t side = round_up(size_t(n), 16);
  for (int sweep = 0; sweep < 6; ++sweep) {
    set_args(red_black, grid, n, cl_int(sweep & 1));
    launch(cl, red_black, {side, side}, {16, 16});
  }
  report<cl_int>(cl, "red and black", grid, count);
  const cl_mem field = buffer_of(cl, std::vector<cl_float>(count, 3.0f));
  const cl_kernel smooth = kernel_of(program, "smooth");
  set_args(smooth, field, cl_int(count));
  for (int i = 0; i < 20; ++i)
    launch(cl, smooth, {round_up(count, 64)}, {64});
  report<cl_float>(cl, "at rest", field, count);
  const cl_mem sums = buffer_of(cl, noise<cl_int>(4096, 3));
  const cl_kernel prefix = kernel_of(program, "prefix_sum");
  set_args(prefix, sums, cl_int(4096));
  launch(cl, prefix, {64}, {64});
  report<cl_int>(cl, "prefix sum", sums, 4096);
}
