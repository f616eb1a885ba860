// SPDX-License-Identifier: Apache-2.0
// Stream compaction: those of 4096 N values that are above a threshold, in their order. A first kernel counts
// them in each block, a second one adds up the counts, a third one moves the values. --iters thresholds.
#include "harness.h"

#include <algorithm>

using namespace bench;

extern const char* const kernel_source;
const char* const kernel_source = R"(
#define BLOCK 1024

// The number of items before this one whose `mine` add up to the result, and their sum. `sums` has an element
// for each item of the group.
int scan(__local int* sums, int mine, int* all) {
  const int item = get_local_id(0);
  const int items = get_local_size(0);
  sums[item] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 1; step < items; step *= 2) {
    const int other = item >= step ? sums[item - step] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[item] += other;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  *all = sums[items - 1];
  const int before = sums[item] - mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  return before;
}

int kept_by(__global const float* values, int first, int end, float threshold) {
  int kept = 0;
  for (int i = first; i < end; ++i)
    kept += values[i] > threshold;
  return kept;
}

__kernel void count(__global const float* values, __global int* counts, __local int* sums, int values_count,
                    float threshold) {
  const int per_item = BLOCK / (int)get_local_size(0);
  const int first = get_group_id(0) * BLOCK + get_local_id(0) * per_item;
  int all;
  scan(sums, kept_by(values, first, min(first + per_item, values_count), threshold), &all);
  if (get_local_id(0) == 0)
    counts[get_group_id(0)] = all;
}

// One work-group: each count becomes the sum of those before it.
__kernel void add_up(__global int* counts, __local int* sums, int groups) {
  const int items = get_local_size(0);
  int before = 0;
  for (int first = 0; first < groups; first += items) {
    const int i = first + get_local_id(0);
    int all;
    const int place = scan(sums, i < groups ? counts[i] : 0, &all);
    if (i < groups)
      counts[i] = before + place;
    before += all;
  }
}

__kernel void move(__global const float* values, __global const int* places, __global float* kept,
                   __local int* sums, int values_count, float threshold) {
  const int per_item = BLOCK / (int)get_local_size(0);
  const int first = get_group_id(0) * BLOCK + get_local_id(0) * per_item;
  const int end = min(first + per_item, values_count);
  int all;
  int place = places[get_group_id(0)] + scan(sums, kept_by(values, first, end, threshold), &all);
  for (int i = first; i < end; ++i)
    if (values[i] > threshold)
      kept[place++] = values[i];
}
)";

int main(int argc, char** argv) {
  constexpr int kBlock = 1024;
  constexpr size_t kItems = 64;
  Harness h(argc, argv, {.size = 4096, .iterations = 8});
  const int count = 4096 * h.size();
  const Input& values = h.input(size_t(count), [](std::vector<float>& to, Random& random) {
    for (float& value : to)
      value = random.uniform(0, 1);
  });
  const int groups = (count + kBlock - 1) / kBlock;
  const Buffer counts = h.buffer(size_t(groups)), kept = h.buffer(size_t(count));
  const auto threshold = [&](int i) { return float(i) / float(h.iterations()); };

  const auto enqueue = [&] {
    h.fill(kept, 0.0f);
    const LocalFloats sums{kItems};
    const size_t items = size_t(groups) * kItems;
    for (int i = 0; i < h.iterations(); ++i) {
      h.launch("count", {items}, {kItems}, values, counts, sums, count, threshold(i));
      h.launch("add_up", {kItems}, {kItems}, counts, sums, groups);
      h.launch("move", {items}, {kItems}, values, counts, kept, sums, count, threshold(i));
    }
  };
  const auto reference = [&] {
    Matrix expected(count, 1);
    for (int i = 0; i < h.iterations(); ++i)
      std::copy_if(values.host.begin(), values.host.end(), expected.values.begin(),
                   [&](float value) { return value > threshold(i); });
    return expected;
  };
  return h.run(kept, enqueue, reference);
}
