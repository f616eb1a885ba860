// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/timing/rivalry.hpp"

#include "libinterpose/timing/profitability.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace mkmd::timing {
namespace {

constexpr double kNo = std::numeric_limits<double>::infinity();

Rivalry::Kernel kernel(std::vector<double> seconds, std::vector<int> samples) {
  return {std::move(seconds), std::move(samples)};
}

TEST(Rivalry, NoneWithoutTeams) {
  EXPECT_FALSE(Rivalry({}).exists());
  EXPECT_FALSE(Rivalry({0, 0}).exists());
  EXPECT_TRUE(Rivalry({0, 1, 2}).exists());
}

TEST(Rivalry, TheQuickerTeamTakesOverWhereNothingHasToMove) {
  Rivalry rivalry({1, 2});
  EXPECT_EQ(rivalry.choose({kernel({2e-3, 1e-3}, {3, 3})}, {0, 0, 0}), 2);
  EXPECT_EQ(rivalry.choose({kernel({1e-3, 2e-3}, {3, 3})}, {0, 0, 0}), 1);
}

TEST(Rivalry, AlikeTeamsDoNotChangePlaces) {
  Rivalry rivalry({1, 2});
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(rivalry.choose({kernel({1e-3, 0.98e-3}, {3, 3})}, {0, 0, 0}), 1);
}

TEST(Rivalry, DataMovesOnceTheSavingsPayForIt) {
  Rivalry rivalry({1, 2});
  for (int i = 0; i < 9; ++i)
    EXPECT_EQ(rivalry.choose({kernel({2e-3, 1e-3}, {3, 3})}, {0, 0, 9.5e-3}), 1) << i;
  EXPECT_EQ(rivalry.choose({kernel({2e-3, 1e-3}, {3, 3})}, {0, 0, 9.5e-3}), 2);
}

TEST(Rivalry, PartsOfATeamShareALaunch) {
  Rivalry rivalry({1, 2, 2});
  EXPECT_EQ(rivalry.choose({kernel({1.5e-3, 2e-3, 2e-3}, {3, 3, 3})}, {0, 0, 0}), 2);
}

TEST(Rivalry, ATeamThatMayNotRunAKernelDoesNotWinByIt) {
  Rivalry rivalry({1, 2});
  EXPECT_EQ(rivalry.choose({kernel({1e-3, kNo}, {3, 0})}, {0, 0, 0}), 1);
  EXPECT_FALSE(rivalry.sample(kernel({1e-3, kNo}, {3, 0}), {0, 0, 0}, 1.0));
}

TEST(Rivalry, WhatHasNotRunThereIsSampledAFewTimes) {
  Rivalry rivalry({1, 2});
  const auto sample = rivalry.sample(kernel({0.1, 0.1}, {1, 0}), {0, 0, 0}, 1.0);
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->device, 1);
  EXPECT_LT(sample->seconds, kLimits.free_exploring / 8);
  EXPECT_TRUE(rivalry.sample(kernel({0.1, 0.1}, {1, 1}), {0, 0, 0}, 1.0));
  EXPECT_FALSE(rivalry.sample(kernel({0.1, 0.1}, {1, 3}), {0, 0, 0}, 1.0));
}

TEST(Rivalry, WhatIsClearlySlowerIsNotSampledAgain) {
  Rivalry rivalry({1, 2});
  EXPECT_FALSE(rivalry.sample(kernel({0.01, 0.05}, {1, 1}), {0, 0, 0}, 1.0));
}

TEST(Rivalry, SamplesKeepToTheBudget) {
  // A rival takes a hundred times what is predicted, and there is no end of new kernels.
  Rivalry rivalry({1, 2});
  constexpr double kBegan = 5.0;
  double spent = 0;
  for (double now = kBegan; now < kBegan + 10; now += 0.01) {
    const auto sample = rivalry.sample(kernel({0.01, 0.01}, {1, 0}), {0, 0, 0}, now);
    if (!sample) continue;
    const double taken = 100 * sample->seconds;
    const double allowed = kLimits.free_exploring + kLimits.regret * (now - kBegan);
    EXPECT_LT(spent, allowed);
    spent += taken;
    rivalry.sampled(*sample, taken);
  }
  EXPECT_GT(spent, 0);
}

TEST(Rivalry, NothingIsSampledWhoseDataCostsTooMuch) {
  Rivalry rivalry({1, 2});
  EXPECT_FALSE(rivalry.sample(kernel({0.01, 0.01}, {1, 0}), {0, 0, 0.03}, 1.0));
  EXPECT_TRUE(rivalry.sample(kernel({0.01, 0.01}, {1, 0}), {0, 0, 0.03}, 5.0));  // 80 ms more to spend
}

}  // namespace
}  // namespace mkmd::timing
