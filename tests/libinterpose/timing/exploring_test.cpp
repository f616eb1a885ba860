// SPDX-License-Identifier: Apache-2.0
// Windows whose outcome is not known yet: how many there are at a time, how long they are and what they cost.
#include "libinterpose/timing/profitability.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

namespace mkmd::timing {
namespace {

// A program that enqueues thousands of launches and never waits for any.
class RunAhead {
public:
  RunAhead() : asked({.home_is_sum = true, .devices = 2}, budget) {}

  // The sizes of the windows that so many launches become. Each window takes `seconds`, each launch
  // `at_home` at home.
  std::vector<size_t> windows(size_t launches, double seconds, double at_home = 0) {
    std::vector<size_t> sizes(1, 0);
    for (size_t i = 0; i < launches; ++i) {
      const bool exploring = asked.take_in(kernel.get(), at_home, 0);
      if (++sizes.back() < 256 && !asked.shows_enough(sizes.back())) continue;
      Window window = asked.open_window();
      asked.close_window(&window, 0);
      if (exploring && seconds > kLimits.longest_wait) asked.waited_in_vain();
      if (exploring && seconds <= kLimits.longest_wait) asked.captured_all_done();
      sizes.push_back(0);
    }
    return sizes;
  }

  RegretBudget budget;
  Profitability asked;
  std::shared_ptr<KernelHistory> kernel = std::make_shared<KernelHistory>();
};

TEST(Exploring, AProgramThatNeverWaitsIsExploredFirst) {
  RunAhead program;
  EXPECT_EQ(program.windows(5 * 16 + 256 + 10, 0.01), (std::vector<size_t>{16, 16, 16, 16, 16, 256, 10}));
  EXPECT_EQ(program.windows(300, 0.01), (std::vector<size_t>{256, 44})) << "the kernel is not new any more";
  program.kernel = std::make_shared<KernelHistory>();
  EXPECT_EQ(program.windows(20, 0.01).front(), 16);
}

TEST(Exploring, HasFewLongLaunchesInAWindow) {
  RunAhead program;
  EXPECT_EQ(program.windows(5 * 2 + 256 + 10, 0.02, kLimits.free_exploring / 2),
            (std::vector<size_t>{2, 2, 2, 2, 2, 256, 10}));
  program.kernel = std::make_shared<KernelHistory>();
  EXPECT_EQ(program.windows(5 + 10, 0.05, 0.05), (std::vector<size_t>{1, 1, 1, 1, 1, 10}));
}

// Launches of 30 ms that split take 36 ms. The program enqueues them all, and waits at the end.
TEST(Exploring, LosesLittleOfAProgramThatNeverWaits) {
  const Launch launch{.first_device = 60e-3, .at_home = 30e-3};
  RegretBudget budget;
  Profitability asked({.devices = 2}, budget);
  const auto kernel = std::make_shared<KernelHistory>();
  double now = 1000, lost = 0;
  for (int left = 200; left > 0;) {
    size_t commands = 0;
    bool exploring = false;
    while (left > 0 && commands < 256 && !(exploring && asked.shows_enough(commands))) {
      exploring = asked.take_in(kernel.get(), launch.at_home, now);
      ++commands, --left;
    }
    Window window = asked.open_window();
    const Decision decision = asked.judge(*kernel, launch, now);
    for (size_t i = 0; i < commands; ++i)
      window.plan(kernel, launch, decision);
    asked.close_window(&window, now);
    const double began = now;
    const double at_home = static_cast<double>(commands) * launch.at_home;
    now += decision.verdict == Verdict::native ? at_home : 1.2 * at_home;
    asked.observe(window, began, now, now);
    lost += now - began - at_home;
  }
  EXPECT_GT(lost, 0);
  EXPECT_LT(lost, 2 * kLimits.free_exploring) << "1.2 s, if they were all split";
}

// Windows of 10 ms that follow each other without a wait, so many at a time. Split they take 12 ms.
TEST(Exploring, HasOneWindowUnderWayOnceOneHasLost) {
  constexpr size_t kDeep = 4;
  const Launch launch{.first_device = 20e-3, .at_home = 10e-3};
  for (const bool elsewhere : {false, true}) {
    RegretBudget budget;
    budget.spend(-1);  // it never runs out
    Profitability asked({.devices = 2}, budget);
    const auto kernel = std::make_shared<KernelHistory>();
    kernel->meet();
    Launch predicted = launch;
    if (elsewhere) predicted = {.first_device = 40e-3, .at_home = 80e-3, .elsewhere = 10e-3};
    struct UnderWay {
      Window window;
      bool split;
    };
    std::deque<UnderWay> under_way;
    const double began = 1000;
    double now = began;
    const auto split = [&] {
      return std::ranges::count_if(under_way, [](const UnderWay& of) { return of.split; });
    };
    bool known = false;
    for (int i = 0; i < 50; ++i) {
      const auto before = split();
      Window window = asked.open_window();
      const Decision decision = asked.judge(*kernel, predicted, now);
      const bool splits = decision.verdict == Verdict::capture || decision.verdict == Verdict::explore;
      EXPECT_FALSE(known && before > 0 && splits) << i;
      window.plan(kernel, predicted, decision);
      asked.close_window(&window, now);
      under_way.push_back({std::move(window), splits});
      if (under_way.size() < kDeep) continue;
      now += under_way.front().split ? 12e-3 : 10e-3;
      asked.observe(under_way.front().window, began, now, now);
      under_way.pop_front();
      known = true;
    }
    EXPECT_EQ(asked.judge(*kernel, predicted, now).reason, Reason::lost_before) << elsewhere;
  }
}

TEST(Exploring, PaysTheLastLossBeforehand) {
  RegretBudget budget;
  Profitability asked({.devices = 2}, budget);
  const auto kernel = std::make_shared<KernelHistory>();
  kernel->meet();
  const Launch launch{.first_device = 20e-3, .at_home = 10e-3};
  const auto window = [&] {
    Window opened = asked.open_window();
    opened.plan(kernel, launch, asked.judge(*kernel, launch, 0));
    asked.close_window(&opened, 0);
    return opened;
  };
  asked.observe(window(), 0, 15e-3, 15e-3);
  EXPECT_NEAR(budget.spent(), 5e-3, 1e-9);
  const Window second = window();
  EXPECT_NEAR(budget.spent(), 10e-3, 1e-9);
  asked.observe(second, 0, 15e-3 + 8e-3, 23e-3);
  EXPECT_NEAR(budget.spent(), 5e-3, 1e-9) << "it has gained";
}

// Two devices that end together have shares that are to each other as the inverse of their times.
TEST(Exploring, GivesLittleOfALongLaunchToADeviceThatIsNotMeasured) {
  RegretBudget budget;
  const double left = budget.left(0);
  Profitability asked({.devices = 2}, budget);
  EXPECT_EQ(asked.cautious(1e-3, 1e-3, 0), 1e-3) << "a short launch loses little";
  EXPECT_EQ(asked.cautious(1e-3, 200e-3, 0), 1e-3) << "16 times as long is still less than home takes";
  for (const double at_home : {30e-3, 100e-3, 10.0}) {
    for (const double predicted : {at_home / 3, at_home, 5 * at_home}) {
      const double planned = asked.cautious(predicted, at_home, 0);
      EXPECT_GE(planned, predicted);
      const double share = at_home / (at_home + planned);
      EXPECT_LE(share * kLimits.caution * predicted, (at_home + left) * 1.0001)
          << at_home << " " << predicted;
    }
  }
  budget.spend(1);
  const double planned = asked.cautious(30e-3, 30e-3, 0);
  EXPECT_NEAR(30e-3 / (30e-3 + planned), 1 / kLimits.caution, 1e-6) << "no longer than home";
  EXPECT_EQ(Profitability({.may_leave_alone = false, .devices = 2}, budget).cautious(1, 1, 0), 1);
}

TEST(Exploring, EndsWhenWindowsTakeTooLong) {
  RunAhead program;
  EXPECT_EQ(program.windows(300, 0.2), (std::vector<size_t>{16, 256, 28}));
  program.kernel = std::make_shared<KernelHistory>();
  EXPECT_EQ(program.windows(300, 0.2), (std::vector<size_t>{256, 44})) << "the next one would, too";
  program.asked.captured_all_done();
  program.kernel = std::make_shared<KernelHistory>();
  EXPECT_EQ(program.windows(20, 0.2).front(), 16) << "the program has waited itself";
}

}  // namespace
}  // namespace mkmd::timing
