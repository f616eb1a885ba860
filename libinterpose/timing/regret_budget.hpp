// SPDX-License-Identifier: Apache-2.0
// The time that may be lost to find out what is quicker: some at once, and a share of the time since then.
// Whatever explores pays from one such budget: retries and the first windows of new kernels (Profitability),
// samples of rivals (Rivalry). It has no clock: every time comes from the caller.
#pragma once

#include <optional>

namespace mkmd::timing {

class RegretBudget {
public:
  RegretBudget();  // with the limits of the default policy
  RegretBudget(double at_once, double share) : at_once_(at_once), share_(share) {}

  double left(double now) const;  // seconds; less than none if exploring has lost more than was expected
  void spend(double seconds) { spent_ += seconds; }
  double spent() const { return spent_; }
  // An earlier run ended with so much left: there is no more at once than that. Of several, the least counts.
  void begin_with(double left);

  // For the code for pieces, whose making a short run may never have enough for, earlier runs have saved so
  // much. Of several, the least counts.
  void begin_with_saved(double seconds);
  double saved(double now) const;  // what runs may hand on: these savings, and what was earned and not spent
  bool pay_from_savings(double seconds, double now);  // and from what is left; false: there is not enough

private:
  const double at_once_, share_;
  mutable std::optional<double> began_;  // when first asked
  double spent_ = 0;
  double owed_ = 0;  // by earlier runs
  std::optional<double> saved_;
};

}  // namespace mkmd::timing
