// SPDX-License-Identifier: Apache-2.0
#include "compiler/merging.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace mkmd::compiler {
namespace {

using Kind = Update::Kind;

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

// A copy of a number that began with the identity, after some updates, and another number.
template <typename Number>
Number merged_from_identity(Kind kind, Number other, std::initializer_list<Number> by) {
  const Update update{kind, sizeof(Number)};
  using Signed = std::make_signed_t<Number>;
  const std::vector<unsigned char> begin = identity(update);
  EXPECT_EQ(begin.size(), sizeof(Number));
  Number copy;
  std::memcpy(&copy, begin.data(), sizeof copy);
  for (const Number x : by) {
    const auto a = static_cast<Signed>(copy), b = static_cast<Signed>(x);
    copy = kind == Kind::add       ? copy + x
           : kind == Kind::bit_and ? copy & x
           : kind == Kind::bit_or  ? copy | x
           : kind == Kind::bit_xor ? copy ^ x
           : kind == Kind::smin    ? static_cast<Number>(std::min(a, b))
           : kind == Kind::smax    ? static_cast<Number>(std::max(a, b))
           : kind == Kind::umin    ? std::min(copy, x)
                                   : std::max(copy, x);
  }
  merge(update, reinterpret_cast<const unsigned char*>(&copy), reinterpret_cast<unsigned char*>(&other),
        sizeof other);
  return other;
}

template <typename Number>
void expect_identities() {
  const auto least = static_cast<Number>(std::numeric_limits<std::make_signed_t<Number>>::min());
  for (const Kind kind : {Kind::add, Kind::bit_and, Kind::bit_or, Kind::bit_xor, Kind::smin, Kind::smax,
                          Kind::umin, Kind::umax}) {
    for (const Number number : {Number{0}, Number{5}, least, Number(~least), Number(-1)})
      EXPECT_EQ(merged_from_identity<Number>(kind, number, {}), number) << static_cast<int>(kind);
  }
  const auto minus = static_cast<Number>(-3);
  EXPECT_EQ(merged_from_identity<Number>(Kind::add, 7, {minus, 1}), 5U);
  EXPECT_EQ(merged_from_identity<Number>(Kind::bit_and, 7, {14, 3}), 2U);
  EXPECT_EQ(merged_from_identity<Number>(Kind::bit_or, 8, {1, 2}), 11U);
  EXPECT_EQ(merged_from_identity<Number>(Kind::bit_xor, 8, {9, 2}), 3U);
  EXPECT_EQ(merged_from_identity<Number>(Kind::smin, 4, {9, minus}), minus);
  EXPECT_EQ(merged_from_identity<Number>(Kind::smin, 4, {9}), 4U);
  EXPECT_EQ(merged_from_identity<Number>(Kind::smax, minus, {minus - 1, 2}), 2U);
  EXPECT_EQ(merged_from_identity<Number>(Kind::smax, minus, {minus - 1}), minus);
  EXPECT_EQ(merged_from_identity<Number>(Kind::umin, 4, {minus, 3}), 3U);
  EXPECT_EQ(merged_from_identity<Number>(Kind::umax, 4, {minus, 3}), minus);
}

TEST(Merging, CopiesThatBeginWithTheIdentity) {
  expect_identities<uint32_t>();
  expect_identities<uint64_t>();
}

// Copies of three numbers of each width, of which one was stored.
TEST(Merging, StoresOfEqualNumbers) {
  for (const uint32_t width : {1U, 2U, 4U, 8U}) {
    for (const uint64_t value : {uint64_t{0}, uint64_t{1}, uint64_t{0x80}, ~uint64_t{0}}) {
      const Update update{Kind::store, width, value & (~uint64_t{0} >> (64 - 8 * width))};
      const std::vector<unsigned char> begin = identity(update);
      ASSERT_EQ(begin.size(), width);
      std::vector<unsigned char> copy, home(3 * width, 0x5a);
      for (int i = 0; i < 3; ++i)
        copy.insert(copy.end(), begin.begin(), begin.end());
      std::memcpy(copy.data() + width, &value, width);
      std::vector<unsigned char> expected = home;
      std::memcpy(expected.data() + width, &value, width);
      merge(update, copy.data(), home.data(), home.size());
      EXPECT_EQ(home, expected) << width << " " << value;
    }
  }
}

TEST(Merging, WhatStoresChangedIsTakenAsItIs) {
  const Update one{Kind::store, 4, 1};
  const uint32_t before[3] = {1, 8, 8}, after[3] = {1, 1, 8};
  uint32_t all[3] = {1, 8, 8};
  const auto bytes = [](auto& numbers) { return reinterpret_cast<const unsigned char*>(numbers); };
  merge({one, {0, 12}}, bytes(before), bytes(after), reinterpret_cast<unsigned char*>(all));
  EXPECT_EQ(all[0], 1U);
  EXPECT_EQ(all[1], 1U);
  EXPECT_EQ(all[2], 8U);
}

TEST(Merging, WholeNumbers) {
  const Update add{Kind::add, 4};
  EXPECT_TRUE(has_whole_numbers({add, {4, 16}}));
  EXPECT_FALSE(has_whole_numbers({add, {4, 14}}));
  EXPECT_FALSE(has_whole_numbers({add, {2, 16}}));
  EXPECT_FALSE(has_whole_numbers({{Kind::add, 8}, {4, 12}}));
  ByteRanges rows;
  rows.add({0, 4, 10, 3});
  EXPECT_FALSE(has_whole_numbers({add, rows}));
}

}  // namespace
}  // namespace mkmd::compiler
