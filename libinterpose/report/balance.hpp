// SPDX-License-Identifier: Apache-2.0
// What captured work took, against what each device alone would have taken for it. It holds the gain over
// the best single device, and how much of the work explored. A value: summaries count it, and `mkmd
// inspect` adds it up from a trace.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace mkmd {

struct Balance {
  // What one device alone would have taken.
  struct Alone {
    double seconds = 0;
    double measured = 0;  // of these: in kernels that have run there
  };
  // Of one window.
  struct Outcome {
    double taken = 0;          // seconds
    std::vector<Alone> alone;  // by device, and behind them home, if it is none of them
    bool explores = false;
  };

  void add(const Outcome& window) {
    taken += window.taken;
    ++windows;
    explored += window.explores ? 1 : 0;
    alone.resize(std::max(alone.size(), window.alone.size()));
    for (size_t d = 0; d < window.alone.size(); ++d) {
      alone[d].seconds += window.alone[d].seconds;
      alone[d].measured += window.alone[d].measured;
    }
  }

  // The device with the least seconds among those of which nearly all was measured; -1: there is none.
  int best() const {
    constexpr double kNearlyAll = 0.9;
    int found = -1;
    for (size_t d = 0; d < alone.size(); ++d) {
      if (alone[d].seconds <= 0 || alone[d].measured < kNearlyAll * alone[d].seconds) continue;
      if (found < 0 || alone[d].seconds < alone[found].seconds) found = static_cast<int>(d);
    }
    return found;
  }

  double taken = 0;
  size_t windows = 0, explored = 0;
  std::vector<Alone> alone;
};

}  // namespace mkmd
