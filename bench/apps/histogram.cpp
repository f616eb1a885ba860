// SPDX-License-Identifier: Apache-2.0
// Histograms of 4096 N values, as a viewer makes them to choose its window. There are --iters windows, each
// half as wide as the one before, with 256 bins each. A work-group counts in local memory and adds its
// counts to those of all groups atomically.
#include "harness.h"

#include <algorithm>

using namespace bench;

extern const char* const kernel_source;
const char* const kernel_source = R"(
#define BINS 256

__kernel void histogram(__global const float* values, __global int* bins, int count, int per_group,
                        float scale, int window) {
  __local int counts[BINS];
  const int item = get_local_id(0);
  const int items = get_local_size(0);
  for (int bin = item; bin < BINS; bin += items)
    counts[bin] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const int first = get_group_id(0) * per_group;
  const int end = min(first + per_group, count);
  for (int i = first + item; i < end; i += items)
    atomic_inc(&counts[clamp((int)(values[i] * scale), 0, BINS - 1)]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int bin = item; bin < BINS; bin += items)
    atomic_add(&bins[window * BINS + bin], counts[bin]);
}
)";

int main(int argc, char** argv) {
  constexpr int kBins = 256, kPerGroup = 8192;
  Harness h(argc, argv, {.size = 4096, .iterations = 16, .group = 64});
  const int count = 4096 * h.size();
  const size_t group = size_t(h.group());
  const Input& values = h.input(size_t(count), [](std::vector<float>& to, Random& random) {
    for (float& value : to)
      value = random.uniform(0, 1);
  });
  const Buffer bins = h.buffer(size_t(kBins * h.iterations()));
  // Powers of two, so that no value lies on the edge of a bin differently in double precision.
  const auto scale = [](int window) { return float(kBins << std::min(window, 16)); };

  const auto enqueue = [&] {
    h.fill(bins, 0.0f);
    const size_t groups = size_t((count + kPerGroup - 1) / kPerGroup);
    for (int window = 0; window < h.iterations(); ++window)
      h.launch("histogram", {groups * group}, {group}, values, bins, count, kPerGroup, scale(window), window);
  };
  const auto reference = [&] {
    std::vector<int> expected(bins.count);
    for (int window = 0; window < h.iterations(); ++window)
      for (const float value : values.host)
        ++expected[size_t(window * kBins + std::min(int(double(value) * scale(window)), kBins - 1))];
    return expected;
  };
  return h.run_exactly(bins, enqueue, reference);
}
