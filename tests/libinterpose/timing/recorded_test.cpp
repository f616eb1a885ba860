// SPDX-License-Identifier: Apache-2.0
// Replays windows of real programs (tests/data/windows) in virtual time. What was decided of each launch then
// is decided again from what was observed then. And programs whose windows take what the recorded ones took
// are run to their end.
#include "libinterpose/timing/profitability.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace mkmd::timing {
namespace {

using nlohmann::json;

struct RecordedLaunch {
  std::string kernel;
  Launch predicted;
  std::string decided;
};

struct RecordedWindow {
  double planned[2];  // began, ended
  bool measures_home;
  bool full;  // so the program waited for it, if it was an exploring one
  std::vector<RecordedLaunch> launches;
  double began, ended, known, at_home, measured;
};

struct Recording {
  explicit Recording(const std::string& name) {
    std::ifstream file(std::string(MKMD_TEST_DATA) + "/windows/" + name + ".json");
    const json all = json::parse(file);
    setting.home_is_sum = all.at("home_is_sum");
    setting.devices = all.at("devices");
    for (const json& w : all.at("windows")) {
      RecordedWindow window{{w.at("planned")[0], w.at("planned")[1]},
                            w.at("measures_home"),
                            w.at("commands") >= kLimits.commands_to_explore,
                            {},
                            w.at("began"),
                            w.at("ended"),
                            w.at("known"),
                            w.at("at_home"),
                            w.at("measured")};
      for (const json& l : w.at("launches"))
        window.launches.insert(window.launches.end(), l[4], {l[0], {l[1], all.at("fixed"), l[2]}, l[3]});
      windows.push_back(std::move(window));
    }
  }

  Setting setting;
  std::vector<RecordedWindow> windows;
};

// A window of which is known what home would have taken.
void fill(Window& window, const RecordedWindow& as, const Setting& setting) {
  if (!setting.home_is_sum) {
    window.plan(as.at_home - window.at_home());
    return;
  }
  window.ran({.kind = Window::Kind::other, .seconds = as.measured});
  window.ran({.kind = Window::Kind::kernel,
              .seconds = (as.at_home - as.measured) * static_cast<double>(setting.devices)});
}

class Kernels {
public:
  const std::shared_ptr<KernelHistory>& operator[](const std::string& name) {
    auto& kernel = known_[name];
    if (kernel == nullptr) kernel = std::make_shared<KernelHistory>();
    return kernel;
  }

private:
  std::map<std::string, std::shared_ptr<KernelHistory>> known_;
};

const char* decided(const Decision& decision) {
  return decision.reason == Reason::too_short     ? "too short"
         : decision.reason == Reason::lost_before ? "lost before"
                                                  : "may be split";
}

class Recorded : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Programs, Recorded,
                         testing::Values("jacobi-shared", "jacobi-separate", "bicgstab-shared",
                                         "bicgstab-separate", "svd-shared", "svd-separate"),
                         [](const auto& of) {
                           std::string name = of.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(Recorded, IsDecidedAgainAsItWas) {
  const Recording recording(GetParam());
  RegretBudget budget;
  budget.spend(-1);  // never runs out: the recorded retries were paid from budgets of their own
  Profitability asked(recording.setting, budget);
  Kernels kernels;
  std::vector<Window> windows;
  std::set<size_t> under_way;
  std::vector<bool> exploring(recording.windows.size());
  // What happened, in order: windows were planned, and their outcomes became known.
  std::multimap<double, std::function<void()>> events;
  for (size_t i = 0; i < recording.windows.size(); ++i) {
    const RecordedWindow& as = recording.windows[i];
    events.emplace(as.planned[0], [&, i] {
      for (const RecordedLaunch& launch : as.launches)
        exploring[i] = asked.take_in(kernels[launch.kernel].get(), launch.predicted.at_home, as.planned[0]);
      windows.push_back(asked.open_window());
      EXPECT_EQ(windows[i].measures_home(), as.measures_home) << "window " << i;
      for (const RecordedLaunch& launch : as.launches) {
        const auto& kernel = kernels[launch.kernel];
        const Decision decision = asked.judge(*kernel, launch.predicted, as.planned[0]);
        EXPECT_EQ(decided(decision), launch.decided) << launch.kernel << " in window " << i;
        windows[i].plan(kernel, launch.predicted, decision);
      }
      under_way.insert(i);
    });
    events.emplace(as.planned[1], [&, i] { asked.close_window(&windows[i], as.planned[1]); });
    events.emplace(std::max(as.known, as.planned[1]), [&, i] {
      fill(windows[i], as, recording.setting);
      if (exploring[i] && as.full && as.ended - as.planned[1] > kLimits.longest_wait) asked.waited_in_vain();
      asked.observe(windows[i], as.began, as.ended, as.known);
      under_way.erase(i);
      if (under_way.empty()) asked.captured_all_done();
    });
  }
  for (const auto& [time, happens] : events)
    happens();
}

// A program that waits after each launch of one kernel. Captured, a launch takes what the next recorded
// window with that kernel took; the windows come again and again. At home it takes what home would have
// taken.
class RecordedProgram {
public:
  RecordedProgram(const Recording& recording, const std::string& kernel)
      : setting_(recording.setting), asked_(recording.setting, budget_) {
    double last_end = 0;
    for (const RecordedWindow& window : recording.windows) {
      const double began = std::max(window.began, last_end);
      last_end = std::max(last_end, window.ended);
      const auto is_split = [&](const RecordedLaunch& l) {
        return l.kernel == kernel && l.decided == "may be split";
      };
      const auto launch = std::find_if(window.launches.begin(), window.launches.end(), is_split);
      if (launch == window.launches.end() || window.measures_home || window.ended <= began) continue;
      costs_.push_back({window, launch->predicted, window.ended - began});
    }
  }

  Decision launch(double slower = 1) {
    const Cost& cost = costs_[next_];
    const double at_home = cost.window.at_home;
    at_home_ += at_home;
    const Decision decision = asked_.decide(*kernel_, cost.predicted, now_);
    if (decision.verdict == Verdict::native) {
      now_ += at_home;
      return decision;
    }
    next_ = (next_ + 1) % costs_.size();
    asked_.take_in(kernel_.get(), cost.window.at_home, now_);
    Window window = asked_.open_window();
    window.plan(kernel_, cost.predicted, asked_.judge(*kernel_, cost.predicted, now_));
    asked_.close_window(&window, now_);
    const double began = now_;
    now_ += window.measures_home() ? at_home : slower * cost.taken;
    if (decision.reason == Reason::retry) retries_cost_ += std::max(0.0, now_ - began - at_home);
    fill(window, cost.window, setting_);
    asked_.observe(window, began, now_, now_);
    asked_.captured_all_done();
    return decision;
  }

  // Launches until one goes home; how many were captured.
  int captured_first() {
    int captured = 0;
    while (captured < 1000 && launch().verdict != Verdict::native)
      ++captured;
    return captured;
  }

  double now() const { return now_; }
  double at_home() const { return at_home_; }  // what all launches would have taken there
  double retries_cost() const { return retries_cost_; }
  size_t recorded() const { return costs_.size(); }

private:
  struct Cost {
    RecordedWindow window;
    Launch predicted;
    double taken;
  };
  Setting setting_;
  RegretBudget budget_;
  Profitability asked_;
  std::vector<Cost> costs_;
  size_t next_ = 0;
  std::shared_ptr<KernelHistory> kernel_ = std::make_shared<KernelHistory>();
  double now_ = 0;
  double at_home_ = 0;
  double retries_cost_ = 0;
};

struct Chosen {
  const char* recording;
  const char* kernel;
};
constexpr Chosen kLosing[] = {{"bicgstab-shared", "matrix_vector"},
                              {"bicgstab-separate", "matrix_vector"},
                              {"jacobi-shared", "matrix_vector"},
                              {"svd-shared", "matrix_multiply"}};

TEST(Replayed, WhatLosesGoesHomeAfterFourWindowsOrOnceNothingIsLeftToSpend) {
  for (const auto& [recording, kernel] : kLosing) {
    SCOPED_TRACE(recording);
    const Recording of(recording);
    // Where home is all devices, one more window runs there.
    const int captured = RecordedProgram(of, kernel).captured_first();
    EXPECT_GE(captured, 2);
    EXPECT_LE(captured, of.setting.home_is_sum ? 5 : 4);
  }
}

TEST(Replayed, RetriesStayInTheBudget) {
  for (const auto& [recording, kernel] : kLosing) {
    SCOPED_TRACE(recording);
    RecordedProgram program(Recording(recording), kernel);
    program.captured_first();
    const double began = program.now();
    const double lost = began - program.at_home();
    int retries = 0;
    while (program.now() < began + 100)
      retries += program.launch().reason == Reason::retry ? 1 : 0;
    EXPECT_GE(retries, 4);
    EXPECT_LE(program.retries_cost(), kLimits.regret * 100);
    EXPECT_LE(program.now() - program.at_home(), lost + kLimits.regret * 100);
  }
}

TEST(Replayed, WhatGainsStaysSplitAndABusyMomentDoesNotEndIt) {
  RecordedProgram program(Recording("svd-separate"), "matrix_multiply");
  for (int i = 0; i < 1000; ++i) {
    const bool busy = i % 50 > 47;
    EXPECT_NE(program.launch(busy ? 8 : 1).verdict, Verdict::native) << i;
  }
  EXPECT_LT(program.now(), program.at_home());
}

TEST(Replayed, ANamedPolicyIsObeyed) {
  for (const auto& [recording, kernel] : kLosing) {
    SCOPED_TRACE(recording);
    Recording of(recording);
    of.setting.may_leave_alone = false;
    RecordedProgram program(of, kernel);
    EXPECT_EQ(program.captured_first(), 1000);
  }
}

}  // namespace
}  // namespace mkmd::timing
