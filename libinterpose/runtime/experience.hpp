// SPDX-License-Identifier: Apache-2.0
// What came of capturing a kernel's launches. Planning, submitting pieces and hearing of their ends take
// time, shares may be wrong, and how much of that is hidden behind the devices' work only shows while the
// program runs. So it is measured: from the end of the window before, or since it was there to be planned, a
// window took so long; its commands alone at home would have taken so long. Launches that lost time again and
// again go to the home's own queue (Rule 15), and are tried again from time to time.
#pragma once

#include "libinterpose/execution/action.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace mkmd {

struct KernelModel;

// A window under way.
struct Trial {
  cl_ulong began = 0;     // when planning did; nanoseconds of the host's clock
  Ref<Action> entry;      // of the captured regime, behind what was under way then; may be null
  size_t unfinished = 0;  // commands
  cl_ulong ended = 0;     // the last of their actions so far, on the clock that actions have
  double at_home = 0;     // seconds its commands would have taken there
  double measured = 0;    // of these: as launches like them have taken there
  bool again = false;     // some of them have lost
  // Those worth splitting, and their seconds at home.
  std::vector<std::pair<std::shared_ptr<KernelModel>, double>> kernels = {};
};

// Of a kernel's launches of about one length.
class Experience {
public:
  // Seconds a window took, what it would have at home, and how much of that was measured there; `now`:
  // seconds on any clock.
  void note(double taken, double at_home, double measured, double now) {
    if (taken <= 0 || at_home <= 0) return;
    ratios_[noted_++ % kWindows] = taken / at_home;
    if (measured >= kMostly * at_home) too_long_ = kLonger;
    if (!lost()) {
      patience_ = kPatience;
      return;
    }
    // All later tries together may lose a few percent of the time at most.
    again_ = now + patience_ * std::max(taken - at_home, kLeast);
    patience_ = std::min(2 * patience_, kMostPatience);
  }

  // Another try has begun: until it is over, it is the only one.
  void begin_try(double at_home, double now) {
    if (lost()) again_ = std::max(again_, now + patience_ * std::max(at_home, kLeast));
  }

  static bool seems_longer(double taken, double at_home) { return taken > kLonger * at_home; }

  bool discourages(double now) const { return lost() && now < again_; }

  bool lost() const {
    return noted_ >= kWindows && *std::min_element(ratios_.begin(), ratios_.end()) > too_long_;
  }

private:
  static constexpr size_t kWindows = 4;       // the best of the last ones counts: a machine may be busy
  static constexpr double kMuchLonger = 1.1;  // than is estimated for home
  static constexpr double kLonger = 1.04;     // than was measured there
  static constexpr double kMostly = 0.9;
  static constexpr double kPatience = 50;
  static constexpr double kMostPatience = 10'000;
  static constexpr double kLeast = 10e-6;  // seconds

  std::array<double, kWindows> ratios_{};
  size_t noted_ = 0;
  double too_long_ = kMuchLonger;
  double again_ = 0;
  double patience_ = kPatience;
};

}  // namespace mkmd
