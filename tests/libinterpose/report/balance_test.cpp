// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/report/balance.hpp"

#include <gtest/gtest.h>

namespace mkmd {
namespace {

TEST(Balance, IsNobodysBeforeAnythingRan) {
  EXPECT_EQ(Balance().best(), -1);
  Balance balance;
  balance.add({.taken = 1, .alone = {{0, 0}, {0, 0}}, .explores = false});
  EXPECT_EQ(balance.best(), -1) << "none would have taken any time";
}

TEST(Balance, AddsUpWindows) {
  Balance balance;
  balance.add({.taken = 3, .alone = {{8, 8}, {4, 4}}, .explores = true});
  balance.add({.taken = 2, .alone = {{1, 1}, {4, 4}, {2, 2}}, .explores = false});  // home is none of the two
  EXPECT_EQ(balance.windows, 2U);
  EXPECT_EQ(balance.explored, 1U);
  EXPECT_EQ(balance.taken, 5);
  ASSERT_EQ(balance.alone.size(), 3U);
  EXPECT_EQ(balance.alone[0].seconds, 9);
  EXPECT_EQ(balance.alone[1].seconds, 8);
  EXPECT_EQ(balance.best(), 2);
}

TEST(Balance, NamesNoDeviceWhoseTimesAreGuesses) {
  Balance balance;
  balance.add({.taken = 1, .alone = {{5, 5}, {1, 0.8}}, .explores = false});
  EXPECT_EQ(balance.best(), 0);
  balance.add({.taken = 1, .alone = {{5, 5}, {1, 1}}, .explores = false});
  EXPECT_EQ(balance.best(), 1) << "nine tenths were measured by now";
}

}  // namespace
}  // namespace mkmd
