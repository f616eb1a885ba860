// SPDX-License-Identifier: Apache-2.0
// Product of two N x N matrices with tiles in local memory of the size of the work-groups. It is one of the
// kernels of the MKMD paper (Table 1). Its cost is the sixth argument, the inner dimension, per work-item.
#include "harness.h"

#include <algorithm>

using namespace bench;

extern const char* const kernel_source;
const char* const kernel_source = R"(
__kernel void matrixmul(__global float* c, __global const float* a, __global const float* b,
                        __local float* a_tile, __local float* b_tile, int inner, int rows, int columns) {
  const int side = get_local_size(0);
  const int tx = get_local_id(0);
  const int ty = get_local_id(1);
  const int column = get_global_id(0);
  const int row = get_global_id(1);
  float sum = 0.0f;
  for (int k = 0; k < inner; k += side) {
    a_tile[ty * side + tx] = row < rows && k + tx < inner ? a[row * inner + k + tx] : 0.0f;
    b_tile[ty * side + tx] = column < columns && k + ty < inner ? b[(k + ty) * columns + column] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < side; ++i)
      sum += a_tile[ty * side + i] * b_tile[i * side + tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row < rows && column < columns)
    c[row * columns + column] = sum;
}
)";

int main(int argc, char** argv) {
  Harness h(argc, argv, {.size = 768, .group = 16});
  const Input& a = h.input_matrix();
  const Input& b = h.input_matrix();
  const Buffer c = h.matrix();
  const size_t n = size_t(h.size());
  // A work-group of side x side work-items: devices need not take more than 16 x 16.
  const size_t side = std::min<size_t>(size_t(h.group()), 16);

  const auto enqueue = [&] {
    const LocalFloats tile{side * side};
    h.launch("matrixmul", {n, n}, {side, side}, c, a, b, tile, tile, h.size(), h.size(), h.size());
  };
  const auto reference = [&] { return Matrix(a.host, h.size()) * Matrix(b.host, h.size()); };
  return h.run(c, enqueue, reference);
}
