// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/timing/regret_budget.hpp"

#include "libinterpose/timing/profitability.hpp"

namespace mkmd::timing {

double RegretBudget::left(double now) const {
  if (!began_) began_ = now;
  return kLimits.free_exploring + kLimits.regret * (now - *began_) - spent_;
}

}  // namespace mkmd::timing
