// SPDX-License-Identifier: Apache-2.0
// When the code for pieces is made, in virtual time: programs whose launches all take the same.
#include "libinterpose/timing/code_worth.hpp"

#include "libinterpose/timing/profitability.hpp"

#include <gtest/gtest.h>

namespace mkmd::timing {
namespace {

// Launches that are predicted to take `predicted` times as long as they do, and to take a share of that with
// the code.
struct Program {
  double launch = 1e-3, predicted = 1, share = 1, surely = 1;
  Making making{0.2, true};
  RegretBudget budget{};

  struct Made {
    MakeCode how = MakeCode::not_yet;
    double at = 0;  // seconds since the first launch
  };
  Made run(double seconds) {
    constexpr double kBegan = 7;
    (void)budget.left(kBegan);
    WithoutCode without;
    for (double now = kBegan; now < kBegan + seconds; now += launch) {
      without.elapsed = now - kBegan;
      without.whole += predicted * launch;
      without.missed += predicted * launch * (1 - share);
      without.surely += predicted * launch * (1 - surely);
      const MakeCode how = when_to_make(without, making, budget, now);
      if (how != MakeCode::not_yet) return {how, without.elapsed};
    }
    return {};
  }
};

TEST(CodeWorth, WhatGainsNothingIsPaidFromTheBudget) {
  Program program;
  const Program::Made made = program.run(20);
  EXPECT_EQ(made.how, MakeCode::now);
  EXPECT_NEAR(made.at, (program.making.seconds - kLimits.free_exploring) / kLimits.regret, 0.01);
  EXPECT_NEAR(program.budget.left(7 + made.at), 0, 1e-3) << "and it is spent";
  EXPECT_EQ(Program{}.run(5).how, MakeCode::not_yet);
}

TEST(CodeWorth, WhatIsPredictedToGainIsMadeOnceLaunchesHaveMissedAsMuch) {
  Program program{.share = 0.2};
  const Program::Made made = program.run(20);
  EXPECT_EQ(made.how, MakeCode::now);
  EXPECT_NEAR(made.at, program.making.seconds / 0.8, 0.01);
  EXPECT_DOUBLE_EQ(program.budget.spent(), 0);
}

TEST(CodeWorth, LaunchesTakeNoLongerThanTheTimeThatHasPassed) {
  const Program::Made made = Program{.predicted = 50, .share = 0.2}.run(20);
  EXPECT_GT(made.at, 0.2);
  EXPECT_EQ((Program{.predicted = 50, .share = 0.2}.run(0.2).how), MakeCode::not_yet);
}

TEST(CodeWorth, CoresThatHomeDoesNotUseMakeItBesideTheProgram) {
  Program program{.making = {0.2, false}};
  const Program::Made made = program.run(20);
  EXPECT_EQ(made.how, MakeCode::beside);
  EXPECT_NEAR(made.at, 0.2, 0.01);
  EXPECT_DOUBLE_EQ(program.budget.spent(), 0);
}

TEST(CodeWorth, WhatIsSurelyMissedIsWaitedFor) {
  EXPECT_EQ((Program{.launch = 0.5, .surely = 0.1, .making = {0.2, false}}.run(20).how), MakeCode::now);
}

// Runs that are shorter than making the code save for it.
TEST(CodeWorth, ShortRunsSaveForIt) {
  double saved = 0, all = 0;
  for (int run = 0; run < 100; ++run, all += 0.5) {
    Program program;
    program.budget.begin_with_saved(saved);
    if (program.run(0.5).how == MakeCode::now) break;
    saved = program.budget.saved(7.5);
    EXPECT_NEAR(program.budget.left(7.5), kLimits.free_exploring + kLimits.regret * 0.5, 1e-9);
  }
  EXPECT_GT(all, 1);
  EXPECT_LT(all, 10);
}

}  // namespace
}  // namespace mkmd::timing
