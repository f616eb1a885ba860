// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/timing/regret_budget.hpp"

#include "libinterpose/timing/profitability.hpp"

#include <algorithm>

namespace mkmd::timing {

double RegretBudget::left(double now) const {
  if (!began_) began_ = now;
  return kLimits.free_exploring + kLimits.regret * (now - *began_) - spent_ - owed_;
}

void RegretBudget::begin_with(double left) {
  owed_ = std::max(owed_, kLimits.free_exploring - left);
}

}  // namespace mkmd::timing
