// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/timing/code_worth.hpp"

#include <algorithm>

namespace mkmd::timing {

MakeCode when_to_make(const WithoutCode& without, const Making& making, RegretBudget& budget, double now) {
  // Launches take no longer than the time that has passed, whatever is predicted of kernels that nobody has
  // measured.
  const double whole = std::min(without.whole, without.elapsed);
  const double scale = without.whole > 0 ? whole / without.whole : 0;
  if (scale * without.surely > making.seconds) return MakeCode::now;
  // Beside the program it would take the same cores, for longer.
  if (making.on_homes_cores) {
    if (scale * without.missed > making.seconds) return MakeCode::now;
    return budget.pay_from_savings(making.seconds, now) ? MakeCode::now : MakeCode::not_yet;
  }
  return whole >= making.seconds ? MakeCode::beside : MakeCode::not_yet;
}

}  // namespace mkmd::timing
