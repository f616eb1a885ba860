// SPDX-License-Identifier: Apache-2.0
// A convolution of an image of N x N points with a filter of 7 x 7, from one image2d_t to another. The
// sampler repeats the margin.
#include "harness.h"

#include <algorithm>

using namespace bench;

extern const char* const kernel_source;
const char* const kernel_source = R"(
__constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

__kernel void convolution(__read_only image2d_t from, __write_only image2d_t to, __constant float* filter,
                          int width) {
  const int2 place = (int2)(get_global_id(0), get_global_id(1));
  if (place.x >= get_image_width(to) || place.y >= get_image_height(to))
    return;
  float sum = 0.0f;
  for (int y = 0; y < width; ++y)
    for (int x = 0; x < width; ++x)
      sum += read_imagef(from, nearest, place + (int2)(x, y) - width / 2).x * filter[y * width + x];
  write_imagef(to, place, (float4)(sum, 0.0f, 0.0f, 1.0f));
}
)";

int main(int argc, char** argv) {
  constexpr int kWidth = 7;
  Harness h(argc, argv, {.size = 1024, .group = 16});
  const int n = h.size();
  const Input& picture = h.input_matrix();
  const Input& filter = h.input(size_t(kWidth * kWidth), [](std::vector<float>& to, Random& random) {
    for (float& value : to)
      value = random.uniform(-1, 1);
  });
  const Image from = h.image(size_t(n), size_t(n)), to = h.image(size_t(n), size_t(n));
  const Buffer result = h.matrix();

  const auto enqueue = [&] {
    h.copy(picture, from);
    h.launch("convolution", {size_t(n), size_t(n)}, {size_t(h.group()), 4}, from, to, filter, kWidth);
    h.copy(to, result);
  };
  const auto reference = [&] {
    Matrix expected(n, n);
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x)
        for (int i = 0; i < kWidth * kWidth; ++i) {
          const int near_x = std::clamp(x + i % kWidth - kWidth / 2, 0, n - 1);
          const int near_y = std::clamp(y + i / kWidth - kWidth / 2, 0, n - 1);
          expected.at(y, x) +=
              double(picture.host[size_t(near_y) * size_t(n) + size_t(near_x)]) * filter.host[size_t(i)];
        }
    return expected;
  };
  return h.run(result, enqueue, reference);
}
