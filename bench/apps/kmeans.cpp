// SPDX-License-Identifier: Apache-2.0
// The assignment step of k-means: the nearest of 16 clusters for each of 64 N points of 8 features. One of
// the kernels of the MKMD paper (Table 1), whose cost is the product of its fourth and fifth arguments.
// Features are multiples of 1/16, so distances are exact and ties fall alike everywhere.
#include "harness.h"

#include <cmath>

using namespace bench;

extern const char* const kernel_source;
const char* const kernel_source = R"(
// Features lie by feature, then by point; centres by cluster.
__kernel void kmeans(__global const float* feature, __global const float* centre, __global float* member,
                     int clusters, int features, int points) {
  const int point = get_global_id(0);
  if (point >= points)
    return;
  int nearest = 0;
  float smallest = MAXFLOAT;
  for (int c = 0; c < clusters; ++c) {
    float distance = 0.0f;
    for (int f = 0; f < features; ++f) {
      const float apart = feature[f * points + point] - centre[c * features + f];
      distance += apart * apart;
    }
    if (distance < smallest) {
      smallest = distance;
      nearest = c;
    }
  }
  member[point] = nearest;
}
)";

int main(int argc, char** argv) {
  constexpr int clusters = 16, features = 8;
  Harness h(argc, argv, {.size = 8192, .group = 64});
  const size_t points = 64 * size_t(h.size());
  const auto sixteenths = [](std::vector<float>& values, Random& random) {
    for (float& value : values)
      value = std::floor(random.uniform(0, 16)) / 16;
  };
  const Input& feature = h.input(points * features, sixteenths);
  const Input& centre = h.input(clusters * features, sixteenths);
  const Buffer member = h.buffer(points);

  const auto enqueue = [&] {
    h.launch("kmeans", {points}, {size_t(h.group())}, feature, centre, member, clusters, features,
             int(points));
  };
  const auto reference = [&] {
    Matrix expected(int(points), 1);
    for (size_t p = 0; p < points; ++p) {
      double smallest = 1e300;
      for (size_t c = 0; c < clusters; ++c) {
        double distance = 0;
        for (size_t f = 0; f < features; ++f) {
          const double apart = double(feature.host[f * points + p]) - centre.host[c * features + f];
          distance += apart * apart;
        }
        if (distance < smallest) {
          smallest = distance;
          expected.values[p] = double(c);
        }
      }
    }
    return expected;
  };
  return h.run(member, enqueue, reference);
}
