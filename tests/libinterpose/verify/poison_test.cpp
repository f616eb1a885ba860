// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/verify/poison.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace mkmd::verify {
namespace {

using Bytes = std::vector<unsigned char>;

template <typename T>
T number_in(Poison poison, uint64_t offset) {
  unsigned char bytes[sizeof(T)];
  for (size_t i = 0; i < sizeof(T); ++i)
    bytes[i] = poison_at(poison, offset + i);
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

TEST(Poison, DiffersInEveryByte) {
  for (uint64_t i = 0; i < 64; ++i)
    EXPECT_NE(poison_at(Poison::small, i), poison_at(Poison::mixed, i)) << i;
}

TEST(Poison, IsANearIndexOrAnOrdinaryNumber) {
  for (uint64_t i = 0; i < 64; i += 4) {
    EXPECT_LE(number_in<uint32_t>(Poison::small, i), 1u);
    EXPECT_TRUE(std::isnormal(number_in<float>(Poison::mixed, i)));
    EXPECT_GT(std::abs(number_in<float>(Poison::mixed, i)), 1);
  }
  EXPECT_EQ(number_in<uint64_t>(Poison::small, 8), 1u);
  EXPECT_TRUE(std::isnormal(number_in<double>(Poison::mixed, 16)));
}

TEST(Poison, FillsWhatItIsTold) {
  Bytes image(50000, 7);
  const ByteRanges some = [] {
    ByteRanges ranges(3, 20000);
    ranges.add(30001, 30002);
    ranges.add(49999, 50000);
    return ranges;
  }();
  fill(Poison::mixed, image.data(), some);
  for (uint64_t i = 0; i < image.size(); ++i)
    EXPECT_EQ(image[i], some.contains(i, i + 1) ? poison_at(Poison::mixed, i) : 7) << i;
  EXPECT_EQ(not_poison(Poison::mixed, image.data(), some), ByteRanges());
  EXPECT_EQ(still_poison(Poison::mixed, image.data(), some), some);
  EXPECT_EQ(still_poison(Poison::small, image.data(), some), ByteRanges());
}

TEST(Poison, IsMissedWhereItIsGone) {
  Bytes image(50000);
  const ByteRanges all(0, image.size());
  fill(Poison::small, image.data(), all);
  ByteRanges changed(16383, 16386);  // over the end of a stretch
  changed.add(40000, 40001);
  changed.each_range([&](ByteRange r) {
    for (uint64_t i = r.lo; i < r.hi; ++i)
      image[i] = 0x77;
  });
  EXPECT_EQ(not_poison(Poison::small, image.data(), all), changed);
  EXPECT_EQ(not_poison(Poison::small, image.data(), ByteRanges(16384, 40000)), ByteRanges(16384, 16386));
  ByteRanges left = all;
  left.subtract(changed);
  EXPECT_EQ(still_poison(Poison::small, image.data(), all), left);
}

TEST(Poison, DifferencesAreExact) {
  Bytes a(40000, 1);
  Bytes b = a;
  EXPECT_TRUE(differing(a.data(), b.data(), ByteRanges(0, 40000)).empty());
  b[0] = b[20000] = b[20001] = b[39999] = 2;
  ByteRanges expected(0, 1);
  expected.add(20000, 20002);
  expected.add(39999, 40000);
  EXPECT_EQ(differing(a.data(), b.data(), ByteRanges(0, 40000)), expected);
  EXPECT_EQ(differing(a.data(), b.data(), ByteRanges(1, 20001)), ByteRanges(20000, 20001));
}

TEST(Poison, OfVeryManyDifferencesTheHullIsKept) {
  Bytes a(400000);
  Bytes b = a;
  uint64_t last = 0;
  for (uint64_t i = 5, step = 1; i < b.size(); i += step++)
    b[last = i] = 1;  // at ever longer distances: no rows
  const ByteRanges found = differing(a.data(), b.data(), ByteRanges(0, b.size()));
  EXPECT_EQ(found.hull(), (ByteRange{5, last + 1}));
  EXPECT_LE(found.size(), 257u);
  for (uint64_t i = 0; i < b.size(); ++i)
    EXPECT_TRUE(b[i] == 0 || found.contains(i, i + 1)) << i;
}

TEST(Poison, CopiesWhatItIsTold) {
  Bytes from(100, 1);
  Bytes to(100, 2);
  copy(from.data(), to.data(), ByteRanges(10, 20));
  EXPECT_EQ(differing(from.data(), to.data(), ByteRanges(0, 30)).total(), 20u);
  EXPECT_TRUE(differing(from.data(), to.data(), ByteRanges(10, 20)).empty());
}

}  // namespace
}  // namespace mkmd::verify
