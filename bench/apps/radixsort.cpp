// SPDX-License-Identifier: Apache-2.0
// Radix sort of 1024 N keys of 32 bits, four bits at a time. Each work-item counts the digits of its keys.
// The counts are added up by digit, then by work-item. Each work-item then moves its keys to where they
// belong.
#include "harness.h"

#include <algorithm>

using namespace bench;

extern const char* const kernel_source;
const char* const kernel_source = R"(
#define DIGITS 16

__kernel void count_digits(__global const uint* keys, __global int* counts, __local int* mine, int keys_count,
                           int per_item, int shift) {
  const int item = get_local_id(0);
  const int items = get_local_size(0);
  for (int digit = 0; digit < DIGITS; ++digit)
    mine[digit * items + item] = 0;
  const int first = get_global_id(0) * per_item;
  const int end = min(first + per_item, keys_count);
  for (int i = first; i < end; ++i)
    ++mine[(keys[i] >> shift & (DIGITS - 1)) * items + item];
  for (int digit = 0; digit < DIGITS; ++digit)
    counts[digit * (int)get_global_size(0) + (int)get_global_id(0)] = mine[digit * items + item];
}

// One work-group: each count becomes the sum of those before it.
__kernel void add_up(__global int* counts, __local int* sums, int total) {
  const int item = get_local_id(0);
  const int items = get_local_size(0);
  const int per_item = (total + items - 1) / items;
  const int first = min(item * per_item, total);
  const int end = min(first + per_item, total);
  int sum = 0;
  for (int i = first; i < end; ++i)
    sum += counts[i];
  sums[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  int before = 0;
  for (int i = 0; i < item; ++i)
    before += sums[i];
  for (int i = first; i < end; ++i) {
    const int count = counts[i];
    counts[i] = before;
    before += count;
  }
}

__kernel void move_keys(__global const uint* keys, __global uint* sorted, __global const int* places,
                        __local int* mine, int keys_count, int per_item, int shift) {
  const int item = get_local_id(0);
  const int items = get_local_size(0);
  for (int digit = 0; digit < DIGITS; ++digit)
    mine[digit * items + item] = places[digit * (int)get_global_size(0) + (int)get_global_id(0)];
  const int first = get_global_id(0) * per_item;
  const int end = min(first + per_item, keys_count);
  for (int i = first; i < end; ++i)
    sorted[mine[(keys[i] >> shift & (DIGITS - 1)) * items + item]++] = keys[i];
}
)";

int main(int argc, char** argv) {
  constexpr int kDigits = 16, kBits = 4, kPerItem = 256;
  constexpr size_t kItems = 32;
  Harness h(argc, argv, {.size = 8192});
  const int count = 1024 * h.size();
  const Integers& input = h.integers(size_t(count), [](std::vector<int>& to, Random& random) {
    for (int& key : to)
      key = random.below(1 << 16) | random.below(1 << 15) << 16;
  });
  const size_t needed = size_t((count + kPerItem - 1) / kPerItem);
  const size_t items = (needed + kItems - 1) / kItems * kItems;
  const int counts_count = int(items) * kDigits;
  const Buffer counts = h.buffer(size_t(counts_count));
  const Buffer even = h.buffer(size_t(count)), odd = h.buffer(size_t(count));

  const auto enqueue = [&] {
    const LocalFloats mine{kItems * kDigits};
    for (int pass = 0; pass * kBits < 32; ++pass) {
      const Buffer& from = pass == 0 ? input : pass % 2 ? odd : even;
      const Buffer& to = pass % 2 ? even : odd;
      h.launch("count_digits", {items}, {kItems}, from, counts, mine, count, kPerItem, pass * kBits);
      h.launch("add_up", {kItems}, {kItems}, counts, LocalFloats{kItems}, counts_count);
      h.launch("move_keys", {items}, {kItems}, from, to, counts, mine, count, kPerItem, pass * kBits);
    }
  };
  const auto reference = [&] {
    std::vector<int> expected = input.host;
    std::sort(expected.begin(), expected.end());
    return expected;
  };
  return h.run_exactly(even, enqueue, reference);
}
