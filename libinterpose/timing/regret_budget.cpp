// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/timing/regret_budget.hpp"

#include "libinterpose/timing/profitability.hpp"

#include <algorithm>

namespace mkmd::timing {

RegretBudget::RegretBudget() : RegretBudget(kLimits.free_exploring, kLimits.regret) {}

double RegretBudget::left(double now) const {
  if (!began_) began_ = now;
  return at_once_ + share_ * (now - *began_) - spent_ - owed_;
}

void RegretBudget::begin_with(double left) {
  owed_ = std::max(owed_, at_once_ - left);
}

void RegretBudget::begin_with_saved(double seconds) {
  saved_ = std::min(saved_.value_or(seconds), seconds);
}

double RegretBudget::saved(double now) const {
  return saved_.value_or(0) + std::max(left(now) - at_once_, 0.0);
}

bool RegretBudget::pay_from_savings(double seconds, double now) {
  const double savings = saved_.value_or(0);
  if (savings + left(now) < seconds) return false;
  const double from_savings = std::min(savings, seconds);
  saved_ = savings - from_savings;
  spend(seconds - from_savings);
  return true;
}

}  // namespace mkmd::timing
