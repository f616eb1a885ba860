// SPDX-License-Identifier: Apache-2.0
// The time that may be lost to find out what is quicker: some at once, and a share of the time since then.
// Whatever explores pays from one such budget: retries and the first windows of new kernels (Profitability),
// samples of rivals (Rivalry). It has no clock: every time comes from the caller.
#pragma once

#include <optional>

namespace mkmd::timing {

class RegretBudget {
public:
  double left(double now) const;  // seconds; less than none if exploring has lost more than was expected
  void spend(double seconds) { spent_ += seconds; }
  double spent() const { return spent_; }
  // An earlier run ended with so much left: there is no more at once than that. Of several, the least counts.
  void begin_with(double left);

private:
  mutable std::optional<double> began_;  // when first asked
  double spent_ = 0;
  double owed_ = 0;  // by earlier runs
};

}  // namespace mkmd::timing
