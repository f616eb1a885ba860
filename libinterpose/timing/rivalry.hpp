// SPDX-License-Identifier: Apache-2.0
// Which of several drivers uses the cores they share (vendor/rivals.hpp). Each window has one team of
// devices, the one with the least time. The team changes once what another would have saved pays for moving
// the data there. A team that has not run a kernel runs a small part of a launch first. It knows values
// only and no clock, like Profitability, which owns it.
#pragma once

#include "libinterpose/timing/regret_budget.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace mkmd::timing {

// What a launch takes at least on devices that can work together: one team, and those without rivals.
// `seconds`: of the whole launch, by device; infinite: it may not run there. `teams`: see Rivalry; empty: no
// device has rivals.
double seconds_together(const std::vector<double>& seconds, const std::vector<int>& teams);

class Rivalry {
public:
  // `teams`: by device; 0: the device has no rivals. The first team begins. `budget` pays for samples.
  Rivalry(std::vector<int> teams, RegretBudget& budget);

  bool exists() const { return current_ > 0; }
  int team_of(int device) const { return teams_[device]; }

  // Where a kernel has run.
  struct Experience {
    std::vector<int> samples;    // by device: how many pieces have been measured there, in earlier runs, too
    bool first_has_run = false;  // the first team, or home, in this process
  };
  // A kernel of a window that any team may run.
  struct Kernel {
    std::vector<double> seconds;  // of the whole launch, by device; infinite: it may not run there
    Experience experience;
  };
  // Seconds to bring to a team what kernels need there. Asked only where the answer matters.
  using CopySeconds = std::function<double(int team)>;
  // A kernel that the first team has not run is run by that team. The first team is home's, whose driver
  // can later repeat what it has run without compiling (Rule 13). Predictions alone move nothing.
  bool may_move(const Kernel& kernel) const;
  bool knows(const Kernel& kernel) const;  // it was measured on another team than the first
  // The team for a window with these kernels, which may move.
  int choose(const std::vector<Kernel>& kernels, const CopySeconds& copy_seconds);
  int current() const { return current_; }

  // A part of a launch that is to show what a device of another team takes for it.
  struct Sample {
    int device = 0;
    double share = 0;    // of the work-groups
    double seconds = 0;  // predicted, data included; paid from the budget
  };
  std::optional<Sample> sample(const Kernel& kernel, const CopySeconds& copy_seconds, double now);
  // It took so long without its data.
  void sampled(const Sample& sample, double seconds) { budget_.spend(seconds - sample.seconds); }

private:
  double seconds_of(const Kernel& kernel, int team) const;

  const std::vector<int> teams_;
  int team_count_ = 0;
  int current_ = 0;
  std::vector<double> saved_;  // by team: what it would have saved since the last move
  RegretBudget& budget_;
};

}  // namespace mkmd::timing
