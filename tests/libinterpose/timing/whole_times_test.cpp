// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/timing/whole_times.hpp"

#include <gtest/gtest.h>

namespace mkmd::timing {
namespace {

TEST(WholeTimes, AreOfThatShapeAndDevice) {
  WholeTimes times;
  EXPECT_FALSE(times.seconds(1, 0));
  EXPECT_FALSE(times.knows(1, 0));
  times.learn(1, 0, 1, 2e-3);
  EXPECT_NEAR(*times.seconds(1, 0), 2e-3, 1e-12);
  EXPECT_TRUE(times.knows(1, 0));
  EXPECT_FALSE(times.knows(1, 1));
  EXPECT_FALSE(times.knows(2, 0));
}

TEST(WholeTimes, APartOfALaunchStandsForAllOfIt) {
  WholeTimes times;
  times.learn(1, 0, 0.25, 0.5e-3);
  EXPECT_NEAR(*times.seconds(1, 0), 2e-3, 1e-12);
}

TEST(WholeTimes, AProgramThatChangesAScalarOnEveryLaunchIsSoonKnown) {
  WholeTimes times;
  int unknown = 0;
  for (uint64_t shape = 1; shape <= 1000; ++shape) {
    unknown += times.knows(shape, 0) ? 0 : 1;
    times.learn(shape, 0, 1, 2e-3);
  }
  EXPECT_EQ(unknown, kLimits.shapes_to_compare);
  EXPECT_FALSE(times.seconds(1000, 0)) << "it must not grow us";
}

}  // namespace
}  // namespace mkmd::timing
