// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/timing/rivalry.hpp"

#include "libinterpose/timing/profitability.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace mkmd::timing {
namespace {

constexpr double kNo = std::numeric_limits<double>::infinity();

// By team.
Rivalry::CopySeconds copies(std::vector<double> seconds) {
  return [seconds = std::move(seconds)](int team) { return seconds[team]; };
}

// The first team has run what was measured on its first device.
Rivalry::Kernel kernel(std::vector<double> seconds, std::vector<int> samples) {
  const bool first_has_run = samples.front() > 0;
  return {std::move(seconds), {std::move(samples), first_has_run}};
}

TEST(Rivalry, NoneWithoutTeams) {
  RegretBudget budget;
  EXPECT_FALSE(Rivalry({}, budget).exists());
  EXPECT_FALSE(Rivalry({0, 0}, budget).exists());
  EXPECT_TRUE(Rivalry({0, 1, 2}, budget).exists());
}

TEST(Rivalry, TheQuickerTeamTakesOverWhereNothingHasToMove) {
  RegretBudget budget;
  Rivalry rivalry({1, 2}, budget);
  EXPECT_EQ(rivalry.choose({kernel({2e-3, 1e-3}, {3, 3})}, copies({0, 0, 0})), 2);
  EXPECT_EQ(rivalry.choose({kernel({1e-3, 2e-3}, {3, 3})}, copies({0, 0, 0})), 1);
}

TEST(Rivalry, WhatTheFirstTeamHasNotRunRunsThere) {
  RegretBudget budget;
  const Rivalry rivalry({1, 2}, budget);
  EXPECT_TRUE(rivalry.may_move(kernel({2e-3, 1e-3}, {1, 0})));
  EXPECT_FALSE(rivalry.may_move(kernel({2e-3, 1e-3}, {0, 3})));
  EXPECT_TRUE(rivalry.may_move(kernel({kNo, 1e-3}, {0, 0}))) << "it never will";
  EXPECT_TRUE(rivalry.knows(kernel({2e-3, 1e-3}, {0, 3})));
  EXPECT_FALSE(rivalry.knows(kernel({2e-3, 1e-3}, {1, 0})));
}

TEST(Rivalry, NobodyAsksForDataWhereAllIsDecided) {
  RegretBudget budget;
  Rivalry rivalry({1, 2}, budget);
  int asked = 0;
  const Rivalry::CopySeconds count = [&](int) { return static_cast<double>(++asked); };
  EXPECT_EQ(rivalry.choose({kernel({1e-3, 2e-3}, {3, 3})}, count), 1);
  EXPECT_FALSE(rivalry.sample(kernel({1e-3, 2e-3}, {3, 3}), count, 1.0));
  EXPECT_EQ(asked, 0);
  (void)rivalry.choose({kernel({2e-3, 1e-3}, {3, 3})}, count);
  EXPECT_EQ(asked, 1);
}

TEST(Rivalry, AlikeTeamsDoNotChangePlaces) {
  RegretBudget budget;
  Rivalry rivalry({1, 2}, budget);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(rivalry.choose({kernel({1e-3, 0.98e-3}, {3, 3})}, copies({0, 0, 0})), 1);
}

TEST(Rivalry, DataMovesOnceTheSavingsPayForIt) {
  RegretBudget budget;
  Rivalry rivalry({1, 2}, budget);
  for (int i = 0; i < 9; ++i)
    EXPECT_EQ(rivalry.choose({kernel({2e-3, 1e-3}, {3, 3})}, copies({0, 0, 9.5e-3})), 1) << i;
  EXPECT_EQ(rivalry.choose({kernel({2e-3, 1e-3}, {3, 3})}, copies({0, 0, 9.5e-3})), 2);
}

TEST(Rivalry, PartsOfATeamShareALaunch) {
  RegretBudget budget;
  Rivalry rivalry({1, 2, 2}, budget);
  EXPECT_EQ(rivalry.choose({kernel({1.5e-3, 2e-3, 2e-3}, {3, 3, 3})}, copies({0, 0, 0})), 2);
}

TEST(Rivalry, ATeamThatMayNotRunAKernelDoesNotWinByIt) {
  RegretBudget budget;
  Rivalry rivalry({1, 2}, budget);
  EXPECT_EQ(rivalry.choose({kernel({1e-3, kNo}, {3, 0})}, copies({0, 0, 0})), 1);
  EXPECT_FALSE(rivalry.sample(kernel({1e-3, kNo}, {3, 0}), copies({0, 0, 0}), 1.0));
}

TEST(Rivalry, WhatHasNotRunThereIsSampledAFewTimes) {
  RegretBudget budget;
  Rivalry rivalry({1, 2}, budget);
  const auto sample = rivalry.sample(kernel({0.1, 0.1}, {1, 0}), copies({0, 0, 0}), 1.0);
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->device, 1);
  EXPECT_LT(sample->seconds, kLimits.free_exploring / 8);
  EXPECT_TRUE(rivalry.sample(kernel({0.1, 0.1}, {1, 1}), copies({0, 0, 0}), 1.0));
  EXPECT_FALSE(rivalry.sample(kernel({0.1, 0.1}, {1, 3}), copies({0, 0, 0}), 1.0));
}

TEST(Rivalry, WhatIsClearlySlowerIsNotSampledAgain) {
  RegretBudget budget;
  Rivalry rivalry({1, 2}, budget);
  EXPECT_FALSE(rivalry.sample(kernel({0.01, 0.05}, {1, 1}), copies({0, 0, 0}), 1.0));
}

TEST(Rivalry, SamplesKeepToTheBudget) {
  // A rival takes a hundred times what is predicted, and there is no end of new kernels.
  RegretBudget budget;
  Rivalry rivalry({1, 2}, budget);
  constexpr double kBegan = 5.0;
  double spent = 0;
  for (double now = kBegan; now < kBegan + 10; now += 0.01) {
    const auto sample = rivalry.sample(kernel({0.01, 0.01}, {1, 0}), copies({0, 0, 0}), now);
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
  RegretBudget budget;
  Rivalry rivalry({1, 2}, budget);
  EXPECT_FALSE(rivalry.sample(kernel({0.01, 0.01}, {1, 0}), copies({0, 0, 0.03}), 1.0));
  EXPECT_TRUE(
      rivalry.sample(kernel({0.01, 0.01}, {1, 0}), copies({0, 0, 0.03}), 5.0));  // 80 ms more to spend
}

// Teams share cores, so their rates do not add up.
TEST(SecondsTogether, TheBestTeamCounts) {
  EXPECT_DOUBLE_EQ(seconds_together({1.0, 1.0}, {}), 0.5);
  EXPECT_DOUBLE_EQ(seconds_together({1.0, kNo}, {1, 2}), 1.0);
  EXPECT_DOUBLE_EQ(seconds_together({2.0, 1.0}, {1, 2}), 1.0);
  EXPECT_DOUBLE_EQ(seconds_together({2.0, 2.0, 4.0}, {1, 1, 2}), 1.0);
  EXPECT_DOUBLE_EQ(seconds_together({1.0, 2.0, 1.0}, {1, 2, 0}), 0.5);  // the last has no rivals
  EXPECT_DOUBLE_EQ(seconds_together({1.0, 1.0, kNo}, {0, 0, 0}), 0.5);
}

}  // namespace
}  // namespace mkmd::timing
