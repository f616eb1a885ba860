// SPDX-License-Identifier: Apache-2.0
// Whether the code for pieces of a program's kernels is worth its making. Nobody knows how long a program
// goes on. So the code is made once launches have missed as much without it as making it takes. Whatever
// comes then, that costs at most twice the least. If making it takes cores that home computes on, an
// earlier making is exploring, and the budget pays. It knows values only and no clock.
#pragma once

#include "libinterpose/timing/regret_budget.hpp"

namespace mkmd::timing {

// What launches of a program took for want of the code. Seconds; predicted but for the last.
struct WithoutCode {
  double whole = 0;
  double missed = 0;   // of these: what all devices that can work together would have saved
  double surely = 0;   // the same, of rivals for the same cores only those that were measured
  double elapsed = 0;  // since the first of them
};

struct Making {
  double seconds = 0;           // that it takes
  bool on_homes_cores = false;  // home is slower meanwhile
};

enum class MakeCode {
  not_yet,
  beside,  // the program; its launches run whole meanwhile
  now,     // the launch waits for it
};
// What is made now on home's cores is paid from the budget, unless launches have missed as much.
MakeCode when_to_make(const WithoutCode& without, const Making& making, RegretBudget& budget, double now);

}  // namespace mkmd::timing
