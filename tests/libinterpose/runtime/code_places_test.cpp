// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/runtime/code_places.hpp"

#include <gtest/gtest.h>
#include <optional>

using namespace mkmd;

namespace {

TEST(LiveNumber, IsTheLowestThatIsFree) {
  std::optional<LiveNumber> first(std::in_place), second(std::in_place), third(std::in_place);
  EXPECT_EQ(second->value(), first->value() + 1);
  EXPECT_EQ(third->value(), first->value() + 2);
  const size_t freed = second->value();
  second.reset();
  EXPECT_EQ(LiveNumber().value(), freed);
  EXPECT_EQ(LiveNumber().value(), freed) << "it did not outlive the expression";
}

}  // namespace
