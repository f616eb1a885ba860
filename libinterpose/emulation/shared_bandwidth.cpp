// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/emulation/shared_bandwidth.hpp"

#include <algorithm>
#include <limits>

namespace mkmd::emulation {

int SharedBandwidth::begin(Nanoseconds start, double seconds, double bytes) {
  advance(static_cast<double>(start));
  works_[next_] = {std::max(seconds, 1e-9), bytes / std::max(seconds, 1e-9)};
  return next_++;
}

// Goes from one end of a piece of work to the next: whoever ends frees bandwidth for the rest.
void SharedBandwidth::advance(double to) {
  while (now_ < to) {
    double demand = 0;
    double shortest = std::numeric_limits<double>::infinity();
    for (const auto& [number, work] : works_) {
      if (work.ended != 0) continue;
      demand += work.demand;
      shortest = std::min(shortest, work.remaining);
    }
    const double slow = std::max(1.0, demand / limit_);
    const double step = std::min(to - now_, shortest * slow * 1e9);
    if (!(step < std::numeric_limits<double>::infinity())) return;  // nothing left to end
    now_ += step;
    for (auto& [number, work] : works_) {
      if (work.ended != 0) continue;
      work.remaining -= step * 1e-9 / slow;
      if (work.remaining <= 1e-12) work.ended = static_cast<Nanoseconds>(now_ + 0.5);
    }
  }
}

Nanoseconds SharedBandwidth::end_of(int work) const {
  SharedBandwidth copy(*this);
  copy.advance(std::numeric_limits<double>::infinity());
  return copy.works_.at(work).ended;
}

void SharedBandwidth::forget(int work) {
  advance(static_cast<double>(end_of(work)));
  works_.erase(work);
}

}  // namespace mkmd::emulation
