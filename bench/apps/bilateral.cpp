// SPDX-License-Identifier: Apache-2.0
// A bilateral filter on a grey picture of N x N points. Each point becomes a mean of those around it.
// Points count the less the farther they are and the more they differ.
#include "harness.h"

#include <algorithm>
#include <cmath>

using namespace bench;

extern const char* const kernel_source;
const char* const kernel_source = R"(
__kernel void bilateral(__global const float* picture, __global float* smooth, int width, int height,
                        int radius, float by_distance, float by_difference) {
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  if (x >= width || y >= height)
    return;
  const float own = picture[y * width + x];
  float sum = 0.0f;
  float weights = 0.0f;
  for (int j = max(y - radius, 0); j <= min(y + radius, height - 1); ++j)
    for (int i = max(x - radius, 0); i <= min(x + radius, width - 1); ++i) {
      const float other = picture[j * width + i];
      const float apart = (float)((i - x) * (i - x) + (j - y) * (j - y));
      const float weight = exp(-apart * by_distance - (other - own) * (other - own) * by_difference);
      sum += weight * other;
      weights += weight;
    }
  smooth[y * width + x] = sum / weights;
}
)";

int main(int argc, char** argv) {
  constexpr int kRadius = 3;
  constexpr float kByDistance = 0.125f, kByDifference = 8.0f;
  Harness h(argc, argv, {.size = 1024, .group = 16});
  const int n = h.size();
  const Input& picture = h.input(size_t(n) * size_t(n), [](std::vector<float>& to, Random& random) {
    for (float& value : to)
      value = random.uniform(0, 1);
  });
  const Buffer smooth = h.matrix();

  const auto enqueue = [&] {
    h.launch("bilateral", {size_t(n), size_t(n)}, {size_t(h.group()), 4}, picture, smooth, n, n, kRadius,
             kByDistance, kByDifference);
  };
  const auto at = [&](int x, int y) { return double(picture.host[size_t(y) * size_t(n) + size_t(x)]); };
  const auto reference = [&] {
    Matrix expected(n, n);
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) {
        double sum = 0, weights = 0;
        for (int j = std::max(y - kRadius, 0); j <= std::min(y + kRadius, n - 1); ++j)
          for (int i = std::max(x - kRadius, 0); i <= std::min(x + kRadius, n - 1); ++i) {
            const double difference = at(i, j) - at(x, y);
            const double apart = (i - x) * (i - x) + (j - y) * (j - y);
            const double weight = std::exp(-apart * kByDistance - difference * difference * kByDifference);
            sum += weight * at(i, j);
            weights += weight;
          }
        expected.at(y, x) = sum / weights;
      }
    return expected;
  };
  return h.run(smooth, enqueue, reference);
}
