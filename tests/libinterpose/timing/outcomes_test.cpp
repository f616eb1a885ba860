// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/timing/profitability.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace mkmd::timing {
namespace {

constexpr double kHomeSeconds = 1e-3;  // seconds

TEST(Outcomes, FewWindowsSayNothing) {
  Outcomes outcomes;
  for (int i = 0; i < 3; ++i)
    outcomes.note(2 * kHomeSeconds, kHomeSeconds, 0, 0);
  EXPECT_FALSE(outcomes.discourages(0));
  outcomes.note(2 * kHomeSeconds, kHomeSeconds, 0, 0);
  EXPECT_TRUE(outcomes.discourages(0));
}

TEST(Outcomes, OneGoodWindowAmongTheLastIsEnough) {
  Outcomes outcomes;
  for (const double taken : {2.0, 2.0, 1.05, 3.0, 2.0, 2.0})
    outcomes.note(taken * kHomeSeconds, kHomeSeconds, 0, 0);
  EXPECT_FALSE(outcomes.discourages(0)) << "a busy machine makes windows long, nothing makes them short";
  outcomes.note(2 * kHomeSeconds, kHomeSeconds, 0, 0);
  EXPECT_TRUE(outcomes.discourages(0)) << "the good one is too long ago";
}

TEST(Outcomes, RetriesStayWithinTheBudget) {
  Outcomes outcomes;
  for (int i = 0; i < 4; ++i)
    outcomes.note(2 * kHomeSeconds, kHomeSeconds, 0, 0);
  double lost = 0;
  int retries = 0;
  double waited = 0;
  for (double now = 0; now < 60; now += 1e-3) {
    if (outcomes.discourages(now)) {
      waited += 1e-3;
      continue;
    }
    outcomes.note(2 * kHomeSeconds, kHomeSeconds, 0, now);
    lost += kHomeSeconds;
    ++retries;
  }
  EXPECT_GE(retries, 4);
  EXPECT_LE(lost, kLimits.regret * waited);
}

TEST(Outcomes, AGoodRetryEndsIt) {
  Outcomes outcomes;
  for (int i = 0; i < 4; ++i)
    outcomes.note(2 * kHomeSeconds, kHomeSeconds, 0, 0);
  ASSERT_TRUE(outcomes.discourages(0.01));
  ASSERT_FALSE(outcomes.discourages(1));
  outcomes.note(kHomeSeconds, kHomeSeconds, 0, 1);
  EXPECT_FALSE(outcomes.discourages(1));
}

TEST(Outcomes, AfterAGainRetriesComeAsSoonAsAtFirst) {
  Outcomes outcomes;
  double now = 0;
  const auto wait_after_losses = [&](int losses) {
    for (int i = 0; i < losses; ++i)
      outcomes.note(2 * kHomeSeconds, kHomeSeconds, 0, now);
    const double began = now;
    while (outcomes.discourages(now))
      now += 1e-3;
    return now - began;
  };
  const double first = wait_after_losses(4);
  EXPECT_GT(wait_after_losses(3), 3 * first);
  outcomes.note(kHomeSeconds, kHomeSeconds, 0, now);
  EXPECT_NEAR(wait_after_losses(4), first, 2e-3);
}

TEST(Outcomes, WhatWasMeasuredAtHomeNeedsLessDoubt) {
  Outcomes estimated;
  Outcomes measured;
  for (int i = 0; i < 4; ++i) {
    estimated.note(1.07 * kHomeSeconds, kHomeSeconds, 0.5 * kHomeSeconds, 0);
    measured.note(1.07 * kHomeSeconds, kHomeSeconds, kHomeSeconds, 0);
  }
  EXPECT_FALSE(estimated.discourages(0));
  EXPECT_TRUE(measured.discourages(0));
}

TEST(Outcomes, OneRetryAtATime) {
  Outcomes outcomes;
  for (int i = 0; i < 4; ++i)
    outcomes.note(2 * kHomeSeconds, kHomeSeconds, 0, 0);
  ASSERT_FALSE(outcomes.discourages(1));
  outcomes.begin_retry(kHomeSeconds, 1);
  EXPECT_TRUE(outcomes.discourages(1)) << "more of them are planned before the first one's outcome is known";
  outcomes.note(kHomeSeconds, kHomeSeconds, 0, 1.001);
  EXPECT_FALSE(outcomes.discourages(1.001));
}

TEST(Outcomes, ARetryIsNothingToWhatHasNotLost) {
  Outcomes outcomes;
  outcomes.begin_retry(kHomeSeconds, 0);
  EXPECT_FALSE(outcomes.discourages(0));
}

TEST(Outcomes, TimesThatMakeNoSenseAreLeftOut) {
  Outcomes outcomes;
  for (int i = 0; i < 8; ++i) {
    outcomes.note(2 * kHomeSeconds, 0, 0, 0);
    outcomes.note(-1, kHomeSeconds, 0, 0);
  }
  EXPECT_FALSE(outcomes.discourages(0));
}

TEST(AWindow, CountsWhatHomeWouldTakeOnce) {
  using Kind = Window::Kind;
  const auto kernel = std::make_shared<KernelHistory>();
  const Launch launch{.first_device = 2e-3, .fixed = 1e-5, .at_home = 1e-3};
  Window elsewhere({.home_is_sum = false}, false);
  elsewhere.plan(kernel, launch, {});
  elsewhere.plan(5e-4);
  elsewhere.ran({.kind = Kind::kernel, .seconds = 7});
  elsewhere.ran({.kind = Kind::placed, .seconds = 7});
  elsewhere.ran({.kind = Kind::other, .seconds = 1e-4});
  EXPECT_NEAR(elsewhere.at_home(), 1.6e-3, 1e-12) << "kernels and fills as planned, transfers as they ran";
  EXPECT_EQ(elsewhere.measured(), 0);
}

TEST(AWindow, ComparesWithHomeAsMeasuredWhereHomeIsAllDevices) {
  using Kind = Window::Kind;
  Window window({.home_is_sum = true, .devices = 2}, false);
  window.plan(std::make_shared<KernelHistory>(), {.first_device = 2e-3, .at_home = 1e-3}, {});
  EXPECT_EQ(window.at_home(), 0) << "what runs will say it";
  window.ran({.kind = Kind::kernel, .seconds = 1e-3, .share = 0.5});
  EXPECT_NEAR(window.at_home(), 5e-4, 1e-12);
  EXPECT_EQ(window.measured(), 0) << "that is an estimate";
  window.ran({.kind = Kind::kernel, .seconds = 1e-3, .share = 0.5, .known_at_home = 8e-4});
  EXPECT_NEAR(window.at_home(), 9e-4, 1e-12) << "the piece was disturbed";
  EXPECT_NEAR(window.measured(), 4e-4, 1e-12);
  window.ran({.kind = Kind::kernel, .seconds = 1e-3, .at_home = true});
  window.ran({.kind = Kind::other, .seconds = 1e-4});
  EXPECT_NEAR(window.at_home(), 2e-3, 1e-12);
  EXPECT_NEAR(window.measured(), 1.5e-3, 1e-12);
}

}  // namespace
}  // namespace mkmd::timing
