// SPDX-License-Identifier: Apache-2.0
// A heat equation on a square: two buffers change places every step, many steps without a wait, then a
// parameter changes and it goes on. Neighbouring pieces need each other's border rows only.
#include "program.h"

int main(int argc, char** argv) {
  const int n = int(size_argument(argc, argv, 1024));
  const int steps = argc > 2 ? std::atoi(argv[2]) : 40;
  const size_t count = size_t(n) * n;
  const Cl cl = open_cl();
  const cl_program program = build(cl, R"(
    __kernel void advance(__global const float* in, __global float* out, int n, float c) {
      int x = get_global_id(0), y = get_global_id(1);
      if (x >= n || y >= n) return;
      if (x == 0 || y == 0 || x == n - 1 || y == n - 1) {
        out[y * n + x] = in[y * n + x];
        return;
      }
      out[y * n + x] = in[y * n + x] + c * (in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] +
                                           in[(y + 1) * n + x] - 4.0f * in[y * n + x]);
    }
    // The same with a border of three rows on either side of a row-wise NDRange.
    __kernel void wide(__global const float* in, __global float* out, int n) {
      int y = get_global_id(0);
      if (y >= n) return;
      for (int x = 0; x < n; ++x) {
        float sum = 0.0f;
        for (int d = -3; d <= 3; ++d) {
          int row = clamp(y + d, 0, n - 1);
          sum += in[row * n + x];
        }
        out[y * n + x] = sum / 7.0f;
      }
    })");
  const cl_kernel advance = kernel_of(program, "advance");
  const cl_kernel wide = kernel_of(program, "wide");
  cl_mem a = buffer_of(cl, noise<cl_float>(count, 1));
  cl_mem b = new_buffer(cl, count * 4);
  const size_t side = round_up(size_t(n), 16);
  for (int i = 0; i < steps; ++i) {
    set_args(advance, a, b, cl_int(n), cl_float(i < steps / 2 ? 0.2f : 0.1f));
    launch(cl, advance, {side, side}, {16, 16});
    std::swap(a, b);
  }
  report<cl_float>(cl, "heat", a, count);
  for (int i = 0; i < 4; ++i) {
    set_args(wide, a, b, cl_int(n));
    launch(cl, wide, {round_up(size_t(n), 8)}, {8});
    std::swap(a, b);
  }
  report<cl_float>(cl, "wide", a, count);
}
