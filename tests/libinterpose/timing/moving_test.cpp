// SPDX-License-Identifier: Apache-2.0
// Where a launch goes that is not split, if another device is quicker than home: a program in virtual time.
#include "libinterpose/timing/profitability.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace mkmd::timing {
namespace {

// Launches of one kernel, each over before the next one, so each is a window. Seconds.
class MovingProgram {
public:
  MovingProgram(double at_home, double elsewhere) : launch_{at_home, 0, at_home, elsewhere} {}

  double split = 0;  // what a window with a split launch takes
  double moved = 0;  // and with one that is moved

  // Pieces showed other times than launches that run whole.
  void mislead(double at_home, double elsewhere) {
    launch_ = {at_home, 0, at_home, elsewhere};
    misled_ = true;
  }

  Decision launch() {
    const Decision decision = asked_.decide(*kernel_, launch_, now);
    if (decision.reason == Reason::comparison) {
      now += decision.verdict == Verdict::move ? moved : right_.at_home;
      launch_ = right_;
      launch_.best_was_measured = true;
      return decision;
    }
    if (decision.verdict == Verdict::native) {
      now += launch_.at_home;
      return decision;
    }
    const bool explores = asked_.take_in(kernel_.get(), launch_.at_home, now);
    Window window = asked_.open_window();
    const Decision judged = asked_.judge(*kernel_, launch_, now);
    window.plan(kernel_, launch_, judged);
    asked_.close_window(&window, now);
    const double began = now;
    now += judged.verdict == Verdict::move ? moved : split;
    if (explores && now - began > kLimits.longest_wait) asked_.waited_in_vain();
    asked_.observe(window, began, now, now);
    asked_.captured_all_done();
    if (misled_ && !launch_.best_was_measured) launch_.best_was_measured = false;
    return decision;
  }

  // For so long. Returns the seconds per launch.
  double run(double seconds) {
    const double began = now;
    int launches = 0;
    for (; now < began + seconds; ++launches)
      launch();
    return (now - began) / launches;
  }

  double now = 1000;

private:
  RegretBudget budget_;
  Profitability asked_{{.devices = 2}, budget_};
  Launch launch_;
  const Launch right_ = launch_;
  bool misled_ = false;
  std::shared_ptr<KernelHistory> kernel_ = std::make_shared<KernelHistory>();
};

TEST(Moving, AShortLaunchGoesWhereItIsQuicker) {
  MovingProgram program(50e-6, 10e-6);
  program.moved = 20e-6;
  EXPECT_EQ(program.launch().verdict, Verdict::move);
  const Decision later = program.launch();
  EXPECT_EQ(later.verdict, Verdict::move);
  EXPECT_EQ(later.reason, Reason::too_short) << "to split";
  EXPECT_NEAR(program.run(1), 20e-6, 1e-9);
}

TEST(Moving, OnlyForMoreThanCapturingCosts) {
  MovingProgram program(25e-6, 10e-6);
  EXPECT_EQ(program.launch().verdict, Verdict::native);
}

TEST(Moving, NowhereButHomeWithoutMeasuredTimes) {
  MovingProgram program(50e-6, std::numeric_limits<double>::infinity());
  EXPECT_EQ(program.launch().verdict, Verdict::native);
}

TEST(Moving, EndsWhereItLoses) {
  MovingProgram program(50e-6, 10e-6);
  program.moved = 70e-6;  // as if its data had to move each time
  const double each = program.run(10);
  EXPECT_LT(each, (1 + 2 * kLimits.regret) * 50e-6);
  const Decision last = program.launch();
  EXPECT_EQ(last.verdict, Verdict::native);
  EXPECT_EQ(last.reason, Reason::too_short);
}

TEST(Moving, ASplitThatLosesAgainstTheQuickerDeviceGivesWayToIt) {
  MovingProgram program(20e-3, 1e-3);
  program.split = 1.4e-3;
  program.moved = 1.02e-3;
  program.run(0.1);
  const Decision decision = program.launch();
  EXPECT_EQ(decision.verdict, Verdict::move) << "though a split is much quicker than home";
  EXPECT_EQ(decision.reason, Reason::lost_before);
  EXPECT_LT(program.run(10), (1 + kLimits.regret) * 1.02e-3);
}

// The data of a launch that is moved have to move, too: the device itself takes less time than a split.
TEST(Moving, GivesWayToASplitWhereItLosesAgainstHome) {
  MovingProgram program(10e-3, 6e-3);
  program.split = 7e-3;
  program.moved = 11.5e-3;
  program.run(1);
  EXPECT_EQ(program.launch().verdict, Verdict::capture);
  EXPECT_LT(program.run(10), (1 + 2 * kLimits.regret) * 7e-3);
}

TEST(Moving, LosesAgainstHomeAsASplitDoes) {
  MovingProgram program(10e-3, 6e-3);
  program.split = 12e-3;
  program.moved = 11.5e-3;
  program.run(2);
  EXPECT_EQ(program.launch().verdict, Verdict::native);
  EXPECT_LT(program.run(10), (1 + 3 * kLimits.regret) * 10e-3);
}

// What the best single device would take includes what the program reads and writes.
TEST(Moving, ReadsAndWritesTakeTheirTimeWhereverTheKernelRuns) {
  Window window({.devices = 2}, false);
  window.plan(std::make_shared<KernelHistory>(), {20e-3, 0, 20e-3, 1.5e-3}, {});
  window.ran({.kind = Window::Kind::other, .seconds = 3e-3});
  window.ran({.kind = Window::Kind::kernel, .seconds = 1e-3});
  EXPECT_DOUBLE_EQ(window.at_home(), 23e-3);
  EXPECT_DOUBLE_EQ(window.at_best(), 4.5e-3);
}

TEST(Moving, ALaunchThatStaysAtHomeCountsWithItsTimeThere) {
  Window window({.devices = 2}, false);
  const auto kernel = std::make_shared<KernelHistory>();
  window.plan(kernel, {20e-3, 0, 20e-3, 1e-3}, {Verdict::native, Reason::lost_before});
  window.plan(kernel, {5e-3, 0, 5e-3, 4e-3}, {});
  EXPECT_DOUBLE_EQ(window.at_best(), 24e-3);
}

TEST(Moving, IsTriedWhereSplitsHaveOnlyLost) {
  MovingProgram program(2e-3, 1.6e-3);
  program.split = 3e-3;  // more than home takes
  program.moved = 1.62e-3;
  program.run(1);
  EXPECT_EQ(program.launch().verdict, Verdict::move);
  EXPECT_LT(program.run(10), (1 + 2 * kLimits.regret) * 1.62e-3);
}

// Pieces that run beside others' take three times as long as they would alone.
TEST(Moving, SplitsAreComparedWithAWholeLaunchOnTheOtherDevice) {
  MovingProgram program(20e-3, 1e-3);
  program.mislead(20e-3, 3e-3);
  program.split = 2e-3;
  program.moved = 1.02e-3;
  EXPECT_EQ(program.launch().verdict, Verdict::explore);
  const Decision second = program.launch();
  EXPECT_EQ(second.verdict, Verdict::move);
  EXPECT_EQ(second.reason, Reason::comparison);
  EXPECT_LT(program.run(10), (1 + 2 * kLimits.regret) * 1.02e-3);
}

TEST(Moving, OrAtHome) {
  MovingProgram program(1e-3, 20e-3);
  program.mislead(3e-3, 20e-3);
  program.split = 2e-3;
  EXPECT_EQ(program.launch().verdict, Verdict::explore);
  const Decision second = program.launch();
  EXPECT_EQ(second.verdict, Verdict::native);
  EXPECT_EQ(second.reason, Reason::comparison);
  EXPECT_LT(program.run(10), (1 + 2 * kLimits.regret) * 1e-3);
}

TEST(Moving, ASplitThatGainsAgainstAQuickHomeStaysSplit) {
  for (const double split : {0.75e-3, 0.95e-3}) {
    MovingProgram program(1e-3, 2e-3);
    program.mislead(1.3e-3, 2.6e-3);
    program.split = split;
    EXPECT_EQ(program.launch().verdict, Verdict::explore);
    EXPECT_EQ(program.launch().reason, Reason::comparison);
    program.launch();
    for (int i = 4; i < 1000; ++i)
      ASSERT_EQ(program.launch().verdict, Verdict::capture) << i;
  }
}

// A launch that seems to take 1.3 seconds may lose half of them if it runs whole.
TEST(Moving, ComparingWaitsUntilItCanBePaid) {
  MovingProgram program(1, 2);
  program.mislead(1.3, 2.6);
  program.split = 0.6;
  program.launch();
  const double began = program.now;
  while (program.launch().reason != Reason::comparison && program.now < began + 100) {
  }
  EXPECT_GT(program.now - began, 30) << "seconds, of which 2 % are for exploring";
  EXPECT_LT(program.now - began, 34);
}

TEST(Moving, ASplitThatLosesALittleAgainstAMeasuredHomeEnds) {
  MovingProgram program(1e-3, 20e-3);
  program.mislead(1e-3, 20e-3);
  program.split = 1.06e-3;
  program.run(0.1);
  EXPECT_EQ(program.launch().verdict, Verdict::native);
}

TEST(Moving, ASplitThatGainsGoesOn) {
  MovingProgram program(2e-3, 1.8e-3);
  program.split = 1e-3;
  program.moved = 1.8e-3;
  program.run(0.1);
  EXPECT_EQ(program.launch().verdict, Verdict::capture);
  EXPECT_NEAR(program.run(1), 1e-3, 1e-7);
}

TEST(Moving, WhatWasLearnedIsKept) {
  KernelHistory first, second;
  for (int i = 0; i < 4; ++i) {
    first.captured.of(1e-3).note(0.1e-3, 1e-3, 0, 0);
    first.split.of(1e-3).note(0.2e-3, 0.1e-3, 0, 0);
  }
  for (int i = 0; i < 4; ++i)
    first.moved.of(1e-3).note(2e-3, 1e-3, 0, 0);
  second.recall(first.keep(0), 0);
  ASSERT_NE(second.split.find(1e-3), nullptr);
  EXPECT_TRUE(second.split.find(1e-3)->lost());
  EXPECT_FALSE(second.captured.find(1e-3)->lost());
  ASSERT_NE(second.moved.find(1e-3), nullptr);
  EXPECT_TRUE(second.moved.find(1e-3)->lost());
  EXPECT_FALSE(second.is_new());
}

}  // namespace
}  // namespace mkmd::timing
