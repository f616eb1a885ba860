// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/timing/profitability.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace mkmd::timing {
namespace {

constexpr double kSecondsAtHome = 1e-3;  // seconds

// A program in virtual time: launches of one kernel, each over before the next one, so each is a window.
class Program {
public:
  explicit Program(const Setting& setting = kTwoParts) : asked_(setting, budget) {}

  static constexpr Setting kTwoParts{.home_is_sum = true, .devices = 2};

  // Launches once. A captured window takes `taken` seconds.
  Decision launch(double taken, double at_home = kSecondsAtHome) {
    const Launch launch{.first_device = 2 * at_home, .at_home = at_home};
    const Decision decision = asked_.decide(*kernel, launch, now);
    if (decision.verdict == Verdict::native) {
      now += at_home;
      return decision;
    }
    exploring = asked_.take_in(kernel.get(), at_home, now);
    Window window = asked_.open_window();
    measures_home = window.measures_home();
    window.plan(kernel, launch, asked_.judge(*kernel, launch, now));
    asked_.close_window(&window, now);
    const double began = now;
    now += measures_home ? at_home : taken;
    if (exploring && now - began > kLimits.longest_wait) asked_.waited_in_vain();
    window.ran(
        {.kind = Window::Kind::kernel, .seconds = at_home, .at_home = measures_home || kernel_ran_at_home});
    kernel_ran_at_home |= measures_home;
    asked_.observe(window, began, now, now);
    asked_.captured_all_done();
    return decision;
  }

  double now = 1000;
  RegretBudget budget;
  bool exploring = false;
  bool measures_home = false;
  bool kernel_ran_at_home = false;
  std::shared_ptr<KernelHistory> kernel = std::make_shared<KernelHistory>();

private:
  Profitability asked_;
};

TEST(Deciding, ShortLaunchesGoHome) {
  RegretBudget budget;
  Profitability asked({}, budget);
  const KernelHistory kernel;
  const auto reason = [&](double beyond) {
    return asked.decide(kernel, {.first_device = 1e-5 + beyond, .fixed = 1e-5}, 0).reason;
  };
  EXPECT_EQ(reason(59e-6), Reason::too_short);
  EXPECT_NE(reason(61e-6), Reason::too_short);
  EXPECT_STREQ(to_string(Reason::too_short), "too short to split");
}

TEST(Deciding, APolicyThatDividesRegardlessIsObeyed) {
  RegretBudget budget;
  Profitability asked({.regardless_of_gain = true}, budget);
  EXPECT_EQ(asked.decide({}, {.first_device = 1e-9, .at_home = 1e-9}, 0).verdict, Verdict::explore);
}

TEST(Deciding, ANewKernelIsExplored) {
  Program program;
  EXPECT_EQ(program.launch(kSecondsAtHome / 2).reason, Reason::new_kernel);
  EXPECT_EQ(program.launch(kSecondsAtHome / 2).reason, Reason::gain_expected);
  EXPECT_TRUE(program.exploring);
  for (int i = 2; i < kLimits.windows_for_new; ++i)
    program.launch(kSecondsAtHome / 2);
  EXPECT_TRUE(program.exploring);
  program.launch(kSecondsAtHome / 2);
  EXPECT_FALSE(program.exploring);
  EXPECT_FALSE(program.kernel_ran_at_home) << "it gains: there is nothing to compare";
}

TEST(Deciding, WhatSeemsToLoseIsMeasuredAtHomeOnce) {
  Program program;
  int measured = 0;
  for (int i = 1; i <= 8; ++i) {
    program.measures_home = false;
    program.launch(1.05 * kSecondsAtHome);
    if (!program.measures_home) continue;
    ++measured;
    EXPECT_EQ(i, 3) << "three exploring windows are left then";
  }
  EXPECT_EQ(measured, 1);
}

TEST(Deciding, AKernelThatLosesGoesHomeAfterFourWindows) {
  Program program;
  int captured = 0;
  while (program.launch(1.5 * kSecondsAtHome).verdict != Verdict::native) {
    if (!program.measures_home) ++captured;
    ASSERT_LT(captured, 10);
  }
  EXPECT_EQ(captured, 4);
  EXPECT_EQ(program.launch(1.5 * kSecondsAtHome).reason, Reason::lost_before);
}

TEST(Deciding, RetriesCostLessThanTheBudget) {
  Program program;
  while (program.launch(3 * kSecondsAtHome).verdict != Verdict::native) {
  }
  const double began = program.now;
  double lost = 0;
  int retries = 0;
  while (program.now < began + 100) {
    const double before = program.now;
    const Decision decision = program.launch(3 * kSecondsAtHome);
    if (decision.verdict == Verdict::native) continue;
    EXPECT_EQ(decision.reason, Reason::retry);
    EXPECT_TRUE(program.exploring) << "a retry's outcome is known before more follows";
    lost += program.now - before - kSecondsAtHome;
    ++retries;
  }
  EXPECT_GE(retries, 5);
  EXPECT_LE(lost, kLimits.regret * 100);
}

TEST(Deciding, ManyKernelsThatLoseShareOneBudget) {
  Program program;
  program.kernel_ran_at_home = true;
  std::vector<std::shared_ptr<KernelHistory>> kernels(20);
  for (auto& kernel : kernels)
    kernel = std::make_shared<KernelHistory>();
  const double began = program.now;
  double lost = 0;
  int captured = 0;
  for (size_t i = 0; program.now < began + 60; ++i) {
    program.kernel = kernels[i % kernels.size()];
    const double before = program.now;
    captured += program.launch(3 * kSecondsAtHome).verdict != Verdict::native ? 1 : 0;
    lost += program.now - before - kSecondsAtHome;
    // The first window of each costs nothing. And one is always under way.
    const double allowed = kLimits.free_exploring + kLimits.regret * (program.now - began);
    ASSERT_LE(lost, allowed + static_cast<double>(kernels.size() + 1) * 2 * kSecondsAtHome) << i;
  }
  EXPECT_GT(captured, 20 * 4) << "in time each has its first windows";
}

TEST(Deciding, WhatHasOnlyLostGoesOnIfThatCanBePaid) {
  Program program;
  program.kernel_ran_at_home = true;
  const double at_home = 0.05;
  size_t lost = 0;
  Decision decision = program.launch(0.08, at_home);
  for (; decision.verdict != Verdict::native; decision = program.launch(0.08, at_home))
    lost += program.measures_home ? 0 : 1;
  EXPECT_EQ(lost, 2u) << "the first one costs nothing, and the second more than may be spent by now";
  EXPECT_EQ(decision.reason, Reason::explored_enough);
  program.now += 0.1 / kLimits.regret;
  EXPECT_EQ(program.launch(0.04, at_home).verdict, Verdict::capture);
  EXPECT_EQ(program.launch(0.08, at_home).verdict, Verdict::capture) << "it has gained once";
}

// Launches of another length are as little known as a new kernel.
TEST(Deciding, NewLengthsWaitUntilThereIsSomethingToSpend) {
  Program program;
  while (program.launch(kSecondsAtHome / 2).verdict == Verdict::explore) {
  }
  EXPECT_EQ(program.launch(kSecondsAtHome / 2).verdict, Verdict::capture);
  program.budget.spend(0.1);
  const double longer = 64 * kSecondsAtHome;
  const Decision decision = program.launch(longer / 2, longer);
  EXPECT_EQ(decision.verdict, Verdict::native);
  EXPECT_EQ(decision.reason, Reason::explored_enough);
  EXPECT_EQ(program.launch(kSecondsAtHome / 2).verdict, Verdict::capture) << "these gain";
  program.now += 0.2 / kLimits.regret;
  EXPECT_EQ(program.launch(longer / 2, longer).verdict, Verdict::capture);
}

TEST(Deciding, NewKernelsWaitUntilThereIsSomethingToSpend) {
  Program program;
  program.budget.spend(0.1);
  Decision decision = program.launch(kSecondsAtHome / 2);
  EXPECT_EQ(decision.verdict, Verdict::native);
  EXPECT_EQ(decision.reason, Reason::explored_enough);
  program.now += 0.1 / kLimits.regret;
  EXPECT_EQ(program.launch(kSecondsAtHome / 2).reason, Reason::new_kernel);
  EXPECT_EQ(program.launch(kSecondsAtHome / 2).verdict, Verdict::capture);
}

TEST(Deciding, WhatDriversDoOnceIsNotPaidFor) {
  Program program;
  program.kernel_ran_at_home = true;
  program.launch(50 * kSecondsAtHome);
  EXPECT_EQ(program.budget.spent(), 0);
  program.launch(1.5 * kSecondsAtHome);
  EXPECT_NEAR(program.budget.spent(), 0.5 * kSecondsAtHome, 1e-9);
  program.launch(0.5 * kSecondsAtHome);
  EXPECT_NEAR(program.budget.spent(), 0.5 * kSecondsAtHome, 1e-9) << "a gain pays for no later loss";
}

TEST(Deciding, WhatDriversDoOnceIsPaidForInLaterRuns) {
  KernelHistory::Kept kept;
  {
    Program first;
    first.kernel_ran_at_home = true;
    first.launch(50 * kSecondsAtHome);
    first.launch(1.5 * kSecondsAtHome);
    kept = first.kernel->keep(first.now);
  }
  int captured = 0;
  for (int run = 0; run < 20; ++run) {
    Program later;
    later.kernel_ran_at_home = true;
    later.kernel->recall(kept, later.now);
    if (later.launch(50 * kSecondsAtHome).verdict == Verdict::native) continue;
    ++captured;
    EXPECT_NEAR(later.budget.spent(), 49 * kSecondsAtHome, 1e-9);
    kept = later.kernel->keep(later.now);
  }
  EXPECT_EQ(captured, 1) << "then it is in doubt, and losing that again is more than may be spent";
}

TEST(Deciding, ARetryThatGainsEndsIt) {
  Program program;
  while (program.launch(3 * kSecondsAtHome).verdict != Verdict::native) {
  }
  int native = 0;
  while (program.launch(kSecondsAtHome / 2).verdict == Verdict::native)
    ++native;
  EXPECT_GT(native, 10);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(program.launch(kSecondsAtHome / 2).verdict, Verdict::capture);
}

TEST(Deciding, ABusyMomentDoesNotEndSplitting) {
  Program program;
  for (int i = 0; i < 200; ++i) {
    const bool busy = i % 10 < 3;
    EXPECT_NE(program.launch(busy ? 8 * kSecondsAtHome : 0.6 * kSecondsAtHome).verdict, Verdict::native) << i;
  }
}

TEST(Deciding, LaunchesOfAnotherLengthHaveNotLost) {
  Program program;
  while (program.launch(3 * kSecondsAtHome).verdict != Verdict::native) {
  }
  EXPECT_EQ(program.launch(50 * kSecondsAtHome, 100 * kSecondsAtHome).verdict, Verdict::capture);
}

TEST(Deciding, ANamedPolicyIsObeyed) {
  Program program({.may_leave_alone = false, .home_is_sum = true, .devices = 2});
  for (int i = 0; i < 100; ++i) {
    EXPECT_NE(program.launch(5 * kSecondsAtHome).verdict, Verdict::native);
    EXPECT_FALSE(program.measures_home);
  }
}

TEST(Deciding, AWindowIsOneOutcomeHoweverManyLaunchesItHas) {
  RegretBudget budget;
  budget.spend(-1);  // it never runs out
  Profitability asked({.home_is_sum = true, .devices = 2}, budget);
  const auto kernel = std::make_shared<KernelHistory>();
  const Launch launch{.first_device = 2e-3, .at_home = 1e-3};
  kernel->meet();
  for (int w = 0; w < 4; ++w) {
    EXPECT_EQ(asked.judge(*kernel, launch, w).verdict, Verdict::capture);
    Window window = asked.open_window();
    for (int i = 0; i < 16; ++i)
      window.plan(kernel, launch, {});
    window.ran({.kind = Window::Kind::kernel, .seconds = 16e-3, .at_home = true});
    asked.close_window(&window, w);
    asked.observe(window, w, w + 32e-3, w + 32e-3);
  }
  EXPECT_EQ(asked.judge(*kernel, launch, 3.1).verdict, Verdict::native);
  EXPECT_EQ(asked.judge(*kernel, launch, 1e6).reason, Reason::retry);
}

TEST(Deciding, WindowsThatOverlapShareTheTime) {
  RegretBudget budget;
  Profitability asked({.home_is_sum = true, .devices = 2}, budget);
  const auto kernel = std::make_shared<KernelHistory>();
  const Launch launch{.first_device = 2e-3, .at_home = 1e-3};
  kernel->meet();
  // Each is planned a window ahead, and takes 0.9 ms once the one before is over.
  for (int w = 0; w < 8; ++w) {
    Window window = asked.open_window();
    window.plan(kernel, launch, {});
    window.ran({.kind = Window::Kind::kernel, .seconds = 1e-3, .at_home = true});
    asked.close_window(&window, w * 0.9e-3);
    const double ended = (w + 2) * 0.9e-3;
    asked.observe(window, w * 0.9e-3, ended, ended);
  }
  EXPECT_EQ(asked.judge(*kernel, launch, 1).verdict, Verdict::capture);
}

}  // namespace
}  // namespace mkmd::timing
