// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/setup/numbers.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace mkmd {
namespace {

TEST(LiveNumber, IsTheLowestThatIsFree) {
  Numbers numbers;
  std::optional<LiveNumber> first(numbers), second(numbers), third(numbers);
  EXPECT_EQ(first->value(), 0u);
  EXPECT_EQ(second->value(), 1u);
  EXPECT_EQ(third->value(), 2u);
  second.reset();
  EXPECT_EQ(LiveNumber(numbers).value(), 1u);
  EXPECT_EQ(LiveNumber(numbers).value(), 1u) << "it did not outlive the expression";
}

TEST(Numbers, OfTwoOwnersAreCountedApart) {
  Numbers one, other;
  EXPECT_EQ(one.next_sequence(), 0u);
  EXPECT_EQ(one.next_sequence(), 1u);
  EXPECT_EQ(one.next_buffer(), 1u);
  const LiveNumber live(one);
  EXPECT_EQ(other.next_sequence(), 0u);
  EXPECT_EQ(other.next_buffer(), 1u);
  EXPECT_EQ(LiveNumber(other).value(), live.value());
}

}  // namespace
}  // namespace mkmd
