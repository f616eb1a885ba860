// SPDX-License-Identifier: Apache-2.0
// What launches of one kernel took in this process that one device ran whole. Pieces run beside those of
// other devices, which may slow them. So the times of pieces (TimeModel) do not say what a device takes
// alone.
#pragma once

#include "common/thread_annotations.hpp"
#include "libinterpose/timing/learned.hpp"

#include <cstdint>
#include <map>
#include <optional>

namespace mkmd::timing {

// All contexts of a process share it. Its mutex is a leaf.
class WholeTimes {
public:
  // `share` of a launch of that shape took `seconds` on `device`, and the device runs the rest, too.
  void learn(uint64_t shape, int device, double share, double seconds);
  // What such a launch takes there; null: none has run.
  std::optional<double> seconds(uint64_t shape, int device) const;
  // One has run, or other shapes have so often that this one shows little: a program may change a scalar on
  // every launch.
  bool knows(uint64_t shape, int device) const;

private:
  mutable Mutex mutex_;
  // By shape and device: the logarithm of seconds.
  std::map<uint64_t, std::map<int, LearnedTime>> by_shape_ GUARDED_BY(mutex_);
};

}  // namespace mkmd::timing
