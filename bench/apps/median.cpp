// SPDX-License-Identifier: Apache-2.0
// Median of the 3 x 3 points around each one of a grey picture of N x N. It is one of the kernels of the
// MKMD paper (Table 1), with no loop at all. Points beyond the margin repeat it.
#include "harness.h"

#include <algorithm>

using namespace bench;

extern const char* const kernel_source;
const char* const kernel_source = R"(
float point(__global const float* picture, int x, int y, int width, int height) {
  return picture[clamp(y, 0, height - 1) * width + clamp(x, 0, width - 1)];
}

// The middle one of three.
float middle(float a, float b, float c) {
  return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

// Columns are sorted; then the median is the middle one of the largest low, the middle middle and the
// smallest high.
__kernel void median(__global const float* picture, __global float* result, int width, int height) {
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  if (x >= width || y >= height)
    return;
  float low[3], mid[3], high[3];
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    const float a = point(picture, x - 1 + i, y - 1, width, height);
    const float b = point(picture, x - 1 + i, y, width, height);
    const float c = point(picture, x - 1 + i, y + 1, width, height);
    low[i] = fmin(fmin(a, b), c);
    mid[i] = middle(a, b, c);
    high[i] = fmax(fmax(a, b), c);
  }
  result[y * width + x] = middle(fmax(fmax(low[0], low[1]), low[2]), middle(mid[0], mid[1], mid[2]),
                                 fmin(fmin(high[0], high[1]), high[2]));
}
)";

int main(int argc, char** argv) {
  Harness h(argc, argv, {.size = 2048, .group = 16});
  const Input& picture = h.input_matrix();
  const Buffer result = h.matrix();
  const int n = h.size();

  const auto enqueue = [&] {
    h.launch("median", {size_t(n), size_t(n)}, {size_t(h.group()), 4}, picture, result, n, n);
  };
  const auto reference = [&] {
    Matrix expected(n, n);
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) {
        float around[9];
        for (int i = 0; i < 9; ++i)
          around[i] = picture.host[size_t(std::clamp(y + i / 3 - 1, 0, n - 1)) * size_t(n) +
                                   size_t(std::clamp(x + i % 3 - 1, 0, n - 1))];
        std::nth_element(around, around + 4, around + 9);
        expected.at(y, x) = around[4];
      }
    return expected;
  };
  return h.run(result, enqueue, reference);
}
