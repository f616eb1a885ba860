// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/timing/whole_times.hpp"

#include <algorithm>
#include <cmath>

namespace mkmd::timing {

// Shapes that do not fit are not kept.
void WholeTimes::learn(uint64_t shape, int device, double share, double seconds) {
  if (share <= 0 || seconds <= 0) return;
  const Lock lock(mutex_);
  if (by_shape_.size() >= kShapesKept && !by_shape_.contains(shape)) return;
  by_shape_[shape][device].note(std::log(seconds / share));
}

std::optional<double> WholeTimes::seconds(uint64_t shape, int device) const {
  const Lock lock(mutex_);
  const auto found = by_shape_.find(shape);
  if (found == by_shape_.end()) return std::nullopt;
  const auto there = found->second.find(device);
  return there != found->second.end() ? std::optional(std::exp(there->second.correction)) : std::nullopt;
}

bool WholeTimes::knows(uint64_t shape, int device) const {
  if (seconds(shape, device)) return true;
  const Lock lock(mutex_);
  const auto ran = [device](const auto& of) { return of.second.contains(device); };
  return std::ranges::count_if(by_shape_, ran) >= kLimits.shapes_to_compare;
}

}  // namespace mkmd::timing
