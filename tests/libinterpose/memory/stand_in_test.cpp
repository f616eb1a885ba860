// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/memory/stand_in.hpp"

#include <gtest/gtest.h>

#include <array>

namespace mkmd {
namespace {

TEST(StandIn, HoldsNothingAtFirst) {
  StandIn stand_in(64);
  EXPECT_FALSE(stand_in.holds(1, {0, 64}));
  EXPECT_TRUE(stand_in.held(1, {0, 64}).empty());
}

TEST(StandIn, GivesWhatItKeepsAndNothingElse) {
  StandIn stand_in(64);
  const std::array<unsigned char, 4> kept{1, 2, 3, 4};
  stand_in.keep(1, {10, 14}, kept.data());
  EXPECT_TRUE(stand_in.holds(1, {13, 20}));
  EXPECT_FALSE(stand_in.holds(1, {14, 20}));
  EXPECT_FALSE(stand_in.holds(2, {0, 64}));
  std::array<unsigned char, 6> bytes{9, 9, 9, 9, 9, 9};
  stand_in.give(1, {12, 18}, bytes.data());
  EXPECT_EQ(bytes, (std::array<unsigned char, 6>{3, 4, 9, 9, 9, 9}));
}

TEST(StandIn, DropsWhatTheDeviceHasTaken) {
  StandIn stand_in(64);
  const std::array<unsigned char, 8> kept{};
  stand_in.keep(1, {0, 8}, kept.data());
  stand_in.drop(2, {0, 8});
  stand_in.drop(1, {2, 64});
  EXPECT_EQ(stand_in.held(1, {0, 64}), ByteRanges(0, 2));
}

}  // namespace
}  // namespace mkmd
