// SPDX-License-Identifier: Apache-2.0
// Which of several drivers uses the cores they share (vendor/rivals.hpp): one team of devices per window, the
// one with the least time, once what it would have saved pays for moving the data there. A team that has not
// run a kernel runs a small part of a launch first. It knows values only and no clock, like Profitability,
// which owns it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace mkmd::timing {

// Time that may be spent to find out: some at once, and a share of the time since then.
class ExplorationBudget {
public:
  double left(double now) const;
  void spend(double seconds) { spent_ += seconds; }

private:
  mutable std::optional<double> began_;  // when first asked
  double spent_ = 0;
};

class Rivalry {
public:
  // `teams`: by device; 0: the device has no rivals. The first team begins.
  explicit Rivalry(std::vector<int> teams);

  bool exists() const { return current_ > 0; }
  int team_of(int device) const { return teams_[device]; }

  // A kernel of a window that any team may run.
  struct Kernel {
    std::vector<double> seconds;  // of the whole launch, by device; infinite: it may not run there
    std::vector<int> samples;     // by device: how often pieces of the kernel have run there
  };
  // The team for a window with these kernels. `copy_seconds`, by team: to bring what they need there.
  int choose(const std::vector<Kernel>& kernels, const std::vector<double>& copy_seconds);
  int current() const { return current_; }

  // A part of a launch that is to show what a device of another team takes for it.
  struct Sample {
    int device = 0;
    double share = 0;    // of the work-groups
    double seconds = 0;  // predicted, data included; paid from the budget
  };
  // `copy_seconds`, by team: to bring what the kernel needs there.
  std::optional<Sample> sample(const Kernel& kernel, const std::vector<double>& copy_seconds, double now);
  // It took so long without its data.
  void sampled(const Sample& sample, double seconds) { budget_.spend(seconds - sample.seconds); }

private:
  double seconds_of(const Kernel& kernel, int team) const;

  const std::vector<int> teams_;
  int team_count_ = 0;
  int current_ = 0;
  std::vector<double> saved_;  // by team: what it would have saved since the last move
  ExplorationBudget budget_;
};

}  // namespace mkmd::timing
