// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/verify/merging.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace mkmd::verify {
namespace {

using Kind = compiler::Update::Kind;

// What two pieces make together of one number that was 5.
template <typename Number>
Number merged(Kind kind, Number first, Number second) {
  unsigned char before[sizeof(Number)], after[sizeof(Number)], all[sizeof(Number)];
  const Number five = 5;
  std::memcpy(before, &five, sizeof five);
  std::memcpy(all, &five, sizeof five);
  for (const Number piece : {first, second}) {
    std::memcpy(after, &piece, sizeof piece);
    merge({{kind, sizeof(Number)}, {0, sizeof(Number)}}, before, after, all);
  }
  Number result;
  std::memcpy(&result, all, sizeof result);
  return result;
}

TEST(Merging, EveryKindOfUpdate) {
  EXPECT_EQ(merged<uint32_t>(Kind::add, 7, 1), 3U) << "5 + 2 - 4";
  EXPECT_EQ(merged<uint32_t>(Kind::bit_xor, 5 ^ 12, 5 ^ 6), 5U ^ 12U ^ 6U);
  EXPECT_EQ(merged<uint32_t>(Kind::bit_and, 5 & 4, 5 & 13), 4U);
  EXPECT_EQ(merged<uint32_t>(Kind::bit_or, 5 | 8, 5 | 2), 15U);
  EXPECT_EQ(merged<uint32_t>(Kind::smin, static_cast<uint32_t>(-3), 4), static_cast<uint32_t>(-3));
  EXPECT_EQ(merged<uint32_t>(Kind::umin, 5, 4), 4U);
  EXPECT_EQ(merged<uint32_t>(Kind::smax, 5, 9), 9U);
  EXPECT_EQ(merged<uint32_t>(Kind::umax, static_cast<uint32_t>(-3), 9), static_cast<uint32_t>(-3));
  EXPECT_EQ(merged<uint64_t>(Kind::add, uint64_t{1} << 40, 6), (uint64_t{1} << 40) + 1);
}

TEST(Merging, WhatIsNotUpdatedStays) {
  const unsigned char before[12] = {}, after[12] = {1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
  unsigned char all[12] = {};
  merge({{Kind::add, 4}, {4, 10}}, before, after, all);
  const unsigned char expected[12] = {0, 0, 0, 0, 2, 2, 2, 2, 0, 0, 0, 0};
  EXPECT_EQ(std::memcmp(all, expected, sizeof all), 0);
}

}  // namespace
}  // namespace mkmd::verify
