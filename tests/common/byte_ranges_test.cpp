// SPDX-License-Identifier: Apache-2.0
#include "common/byte_ranges.hpp"

#include <gtest/gtest.h>

#include <bitset>
#include <random>

namespace mkmd {
namespace {

constexpr unsigned kBytes = 64;
using Bits = std::bitset<kBytes>;

Bits bits(const ByteRanges& ranges) {
  Bits set;
  uint64_t end = 0;
  bool first = true;
  for (const ByteRange& r : ranges) {
    EXPECT_LT(r.lo, r.hi);
    if (!first) {
      EXPECT_GT(r.lo, end) << "ranges touch or are out of order";
    }
    first = false;
    end = r.hi;
    for (uint64_t i = r.lo; i < r.hi; ++i)
      set.set(i);
  }
  return set;
}

ByteRanges some(std::mt19937& random) {
  ByteRanges ranges;
  for (int n = static_cast<int>(random() % 12); n > 0; --n) {
    const uint64_t lo = random() % kBytes;
    ranges.add(lo, std::min<uint64_t>(kBytes, lo + random() % 8));
  }
  return ranges;
}

TEST(ByteRanges, AgreesWithASetOfBytes) {
  std::mt19937 random(1);
  for (int i = 0; i < 5000; ++i) {
    const ByteRanges a = some(random);
    const ByteRanges b = some(random);
    ByteRanges both = a;
    both.unite(b);
    ByteRanges left = a;
    left.subtract(b);
    EXPECT_EQ(bits(both), bits(a) | bits(b));
    EXPECT_EQ(bits(left), bits(a) & ~bits(b));
    EXPECT_EQ(bits(a.intersection(b)), bits(a) & bits(b));
    EXPECT_EQ(a.overlaps(b), (bits(a) & bits(b)).any());
    const uint64_t from = random() % kBytes;
    const uint64_t to = from + random() % kBytes;
    ByteRanges clipped = a;
    clipped.clip(from, to);
    EXPECT_EQ(clipped, a.intersection(ByteRanges(from, to)));
    EXPECT_EQ(a.total(), bits(a).count());
    for (uint64_t lo = 0; lo < kBytes; lo += 7) {
      const uint64_t hi = std::min<uint64_t>(kBytes, lo + 5);
      bool inside = true;
      for (uint64_t j = lo; j < hi; ++j)
        inside = inside && bits(a)[j];
      EXPECT_EQ(a.contains(lo, hi), inside);
    }
  }
}

TEST(ByteRanges, HullAndShift) {
  ByteRanges ranges(4, 8);
  ranges.add(20, 24);
  EXPECT_EQ(ranges.hull(), (ByteRange{4, 24}));
  ranges.shift(100);
  EXPECT_EQ(ranges.hull(), (ByteRange{104, 124}));
  EXPECT_EQ(ByteRanges().hull(), (ByteRange{0, 0}));
}

}  // namespace
}  // namespace mkmd
