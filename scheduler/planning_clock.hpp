// SPDX-License-Identifier: Apache-2.0
// How long a policy has been planning, against the budget its caller gave. Without a budget no clock is read,
// so that the same problem always gives the same schedule.
#pragma once

#include "scheduler/policy.hpp"

#include <chrono>

namespace mkmd::scheduler {

class PlanningClock {
public:
  explicit PlanningClock(const Options& options) : budget_(options.planning_budget) {
    if (budget_ != kNever) begin_ = std::chrono::steady_clock::now();
  }

  bool over() const { return seconds() > budget_; }

  // Since planning began; 0 without a budget.
  double seconds() const {
    if (budget_ == kNever) return 0;
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

private:
  double budget_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace mkmd::scheduler
