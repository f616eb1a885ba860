// SPDX-License-Identifier: Apache-2.0
#include "common/byte_ranges.hpp"

#include "common/byte_partition.hpp"

#include <gtest/gtest.h>

#include <bitset>
#include <random>

namespace mkmd {
namespace {

constexpr unsigned kBytes = 96;
using Bits = std::bitset<kBytes>;

Bits bits(const ByteRanges& ranges) {
  Bits set;
  uint64_t before = 0;
  for (const ByteRows& rows : ranges) {
    EXPECT_GT(rows.length, 0u);
    EXPECT_TRUE(rows.count == 1 ? rows.pitch == 0 : rows.pitch > rows.length);
    EXPECT_GE(rows.lo, before) << "blocks are out of order";
    before = rows.lo;
  }
  ranges.each_range([&](const ByteRange& r) {
    for (uint64_t i = r.lo; i < r.hi; ++i) {
      EXPECT_FALSE(set[i]) << "two blocks have byte " << i;
      set.set(i);
    }
  });
  return set;
}

// Few different pitches: rows of one pitch and of others must meet.
ByteRows rows(std::mt19937& random) {
  const uint64_t pitch = 4 + random() % 2 * 8 + random() % 2;
  const uint64_t length = 1 + random() % (pitch - 1);
  const uint64_t lo = random() % (kBytes - length);
  const uint64_t count = 1 + random() % ((kBytes - lo - length) / pitch + 1);
  return ByteRows{lo, length, pitch, count}.rows(0, count);
}

ByteRanges some(std::mt19937& random) {
  ByteRanges ranges;
  for (int n = static_cast<int>(random() % 8); n > 0; --n) {
    const uint64_t lo = random() % kBytes;
    if (random() % 2 == 0) {
      ranges.add(lo, std::min<uint64_t>(kBytes, lo + random() % 8));
    } else {
      ranges.add(rows(random));
    }
  }
  return ranges;
}

TEST(ByteRanges, AgreesWithASetOfBytes) {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    const ByteRanges a = some(random);
    const ByteRanges b = some(random);
    ByteRanges both = a;
    both.unite(b);
    ByteRanges left = a;
    left.subtract(b);
    ASSERT_EQ(bits(both), bits(a) | bits(b));
    ASSERT_EQ(bits(left), bits(a) & ~bits(b));
    ASSERT_EQ(bits(a.intersection(b)), bits(a) & bits(b));
    ASSERT_EQ(a.overlaps(b), (bits(a) & bits(b)).any());
    ASSERT_EQ(a == b, bits(a) == bits(b));
    left.unite(a.intersection(b));
    ASSERT_EQ(left, a) << "however it was put together";
    const uint64_t from = random() % kBytes;
    const uint64_t to = from + random() % kBytes;
    ByteRanges clipped = a;
    clipped.clip(from, to);
    ASSERT_EQ(clipped, a.intersection(ByteRanges(from, to)));
    ASSERT_EQ(a.total(), bits(a).count());
    if (!a.empty()) {
      ASSERT_TRUE(bits(a)[a.hull().lo] && bits(a)[a.hull().hi - 1] && (bits(a) >> a.hull().hi).none());
    }
    for (uint64_t lo = 0; lo < kBytes; lo += 7) {
      const uint64_t hi = std::min<uint64_t>(kBytes, lo + 5);
      bool inside = true;
      for (uint64_t j = lo; j < hi; ++j)
        inside = inside && bits(a)[j];
      ASSERT_EQ(a.contains(lo, hi), inside);
    }
  }
}

TEST(ByteRanges, HullAndShift) {
  ByteRanges ranges(4, 8);
  ranges.add(20, 24);
  EXPECT_EQ(ranges.hull(), (ByteRange{4, 24}));
  ranges.shift(100);
  EXPECT_EQ(ranges.hull(), (ByteRange{104, 124}));
  ranges.shift(-uint64_t{104});
  EXPECT_EQ(ranges.hull(), (ByteRange{0, 20}));
  EXPECT_EQ(ByteRanges().hull(), (ByteRange{0, 0}));
}

TEST(ByteRanges, ScaledRangesHoldTheBytesOfEachByte) {
  ByteRanges ranges(2, 5);
  ranges.add(ByteRows{10, 2, 8, 4});
  ranges.scale(3);
  EXPECT_EQ(ranges.hull(), (ByteRange{6, 108}));
  EXPECT_EQ(ranges.total(), 33u);
  ByteRanges expected(6, 15);
  expected.add(ByteRows{30, 6, 24, 4});
  EXPECT_EQ(ranges, expected);
  EXPECT_TRUE(ranges.overlaps({58, 60}));
  EXPECT_FALSE(ranges.overlaps({60, 78}));
  ByteRanges none;
  none.scale(3);
  EXPECT_TRUE(none.empty());
}

// A matrix of 4096 rows, 16 KiB each, handed out in columns.
TEST(ByteRanges, ColumnsAreFewBlocks) {
  constexpr uint64_t kRow = 16384;
  const ByteRows all{0, kRow, kRow, 4096};
  ByteRanges written;
  for (const auto& [from, to] : {std::pair{0, 3000}, {9000, kRow}, {3000, 9000}}) {
    const ByteRanges columns(all.columns(from, to));
    EXPECT_EQ(columns.size(), 1u);
    EXPECT_FALSE(written.overlaps(columns));
    written.unite(columns);
    EXPECT_LE(written.size(), 2u);
  }
  EXPECT_EQ(written, ByteRanges(0, 4096 * kRow));
  EXPECT_EQ(written.size(), 1u);

  ByteRanges upper(all.columns(0, 4000));
  upper.clip(1000, 10 * kRow + 1000);  // half of row 0, nine rows, a quarter of row 10
  EXPECT_EQ(upper.total(), 3000u + 9 * 4000 + 1000);
  EXPECT_LE(upper.size(), 3u);
  ByteRanges lower(all.columns(0, 4000));
  lower.subtract(upper);
  lower.unite(upper);
  EXPECT_EQ(lower.size(), 1u) << "what was cut is joined again";
}

TEST(ByteRanges, RowsCutInAnotherWayAreFoundAgain) {
  const ByteRows old_columns = ByteRows{0, 16000, 16000, 4096}.columns(0, 8000);
  const ByteRows columns = ByteRows{0, 16384, 16384, 4000}.columns(0, 8192);
  ByteRanges common(columns), rest(columns);
  common = common.intersection(ByteRanges(old_columns));
  rest.subtract(ByteRanges(old_columns));
  EXPECT_GT(common.size(), 10u);
  EXPECT_EQ(ByteRanges::sum({rest, common}).size(), 1u);
  common.unite(rest);
  EXPECT_EQ(common.size(), 1u);
}

TEST(ByteRanges, BlocksStayAsTheyAre) {
  const std::vector<ByteRows> blocks{{0, 4}, {4, 4}, {100, 4, 50, 3}, {110, 4}};
  ByteRanges ranges = ByteRanges::of_blocks(blocks);
  EXPECT_TRUE(std::ranges::equal(ranges, blocks));
  EXPECT_EQ(ranges.hull(), (ByteRange{0, 204}));
  EXPECT_EQ(ranges, ByteRanges::sum({{0, 8}, ByteRanges(blocks[2]), {110, 114}}));
  EXPECT_TRUE(ranges.overlaps({150, 151})) << "a block that begins before one that ends earlier";
  ranges.add(8, 12);
  EXPECT_EQ(ranges.total(), 28u);
  EXPECT_TRUE(ByteRanges::of_blocks({}).empty());
}

// A diagonal of a matrix lies in its rows but for one element, and does not cut them.
TEST(ByteRanges, TheLargerOneKeepsItsForm) {
  const ByteRanges rows(ByteRows{4, 4092, 4096, 1024});
  ByteRanges both(ByteRows{0, 4, 4100, 1024});
  both.unite(rows);
  EXPECT_LE(both.size(), 2u);
  EXPECT_EQ(both.total(), rows.total() + 4);
  EXPECT_TRUE(both.contains(0, 4096));
}

TEST(BytePartition, KeepsOnePartPerState) {
  std::mt19937 random(3);
  BytePartition<int> partition(kBytes, 0);
  std::array<int, kBytes> states{};
  for (int step = 0; step < 5000; ++step) {
    const ByteRanges changed = some(random);
    const int add = static_cast<int>(random() % 3);
    partition.change(changed, [&](int& state) { state = (state + add) % 4; });
    changed.each_range([&](const ByteRange& r) {
      for (uint64_t i = r.lo; i < r.hi; ++i)
        states[i] = (states[i] + add) % 4;
    });
    std::array<int, 4> parts{};
    Bits seen;
    for (const auto& [bytes, state] : partition.parts()) {
      ++parts[static_cast<size_t>(state)];
      const Bits here = bits(bytes);
      ASSERT_TRUE((here & seen).none());
      seen |= here;
      for (size_t i = 0; i < kBytes; ++i)
        ASSERT_TRUE(!here[i] || states[i] == state);
    }
    ASSERT_TRUE(seen.all());
    for (const int count : parts)
      ASSERT_LE(count, 1);
  }
}

TEST(BytePartition, VisitsStatesOfTheBytesOnly) {
  BytePartition<int> partition(100, 0);
  partition.change(ByteRanges(10, 20), [](int& state) { state = 1; });
  partition.change(ByteRanges(20, 30), [](int& state) { state = 2; });
  int seen = 0;
  partition.visit(ByteRanges(15, 18), [&](int state) { seen += 1 + 10 * state; });
  EXPECT_EQ(seen, 11);
  EXPECT_EQ(partition.all(), ByteRanges(0, 100));
}

}  // namespace
}  // namespace mkmd
