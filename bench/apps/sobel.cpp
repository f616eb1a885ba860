// SPDX-License-Identifier: Apache-2.0
// Sobel's edge filter on a grey picture of N x N points. It is one of the kernels of the MKMD paper (Table
// 1), with no loop at all. Points beyond the margin repeat it.
#include "harness.h"

#include <algorithm>
#include <cmath>

using namespace bench;

extern const char* const kernel_source;
const char* const kernel_source = R"(
float point(__global const float* picture, int x, int y, int width, int height) {
  return picture[clamp(y, 0, height - 1) * width + clamp(x, 0, width - 1)];
}

__kernel void sobel(__global const float* picture, __global float* edges, int width, int height) {
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  if (x >= width || y >= height)
    return;
  const float nw = point(picture, x - 1, y - 1, width, height), n = point(picture, x, y - 1, width, height);
  const float ne = point(picture, x + 1, y - 1, width, height), w = point(picture, x - 1, y, width, height);
  const float e = point(picture, x + 1, y, width, height), sw = point(picture, x - 1, y + 1, width, height);
  const float s = point(picture, x, y + 1, width, height), se = point(picture, x + 1, y + 1, width, height);
  const float across = ne + 2.0f * e + se - nw - 2.0f * w - sw;
  const float down = sw + 2.0f * s + se - nw - 2.0f * n - ne;
  edges[y * width + x] = sqrt(across * across + down * down);
}
)";

int main(int argc, char** argv) {
  Harness h(argc, argv, {.size = 2048, .group = 16});
  const Input& picture = h.input_matrix();
  const Buffer edges = h.matrix();
  const int n = h.size();

  const auto enqueue = [&] {
    h.launch("sobel", {size_t(n), size_t(n)}, {size_t(h.group()), 4}, picture, edges, n, n);
  };
  const auto reference = [&] {
    Matrix expected(n, n);
    const auto at = [&](int x, int y) {
      return double(
          picture.host[size_t(std::clamp(y, 0, n - 1)) * size_t(n) + size_t(std::clamp(x, 0, n - 1))]);
    };
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) {
        double across = 0, down = 0;
        for (int i = -1; i <= 1; ++i) {
          across += (2 - std::abs(i)) * (at(x + 1, y + i) - at(x - 1, y + i));
          down += (2 - std::abs(i)) * (at(x + i, y + 1) - at(x + i, y - 1));
        }
        expected.at(y, x) = std::sqrt(across * across + down * down);
      }
    return expected;
  };
  return h.run(edges, enqueue, reference);
}
