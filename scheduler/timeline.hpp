// SPDX-License-Identifier: Apache-2.0
// Timeline: when one exclusive thing (a device, one direction of a memory's port) is busy. Stretches that
// touch are kept as one, so a timeline stays short however long the schedule is. Lanes that must be free
// together (out-port and in-port of a transfer) are found by first_fit over both.
#pragma once

#include <vector>

namespace mkmd::scheduler {

class Timeline {
public:
  struct Busy {
    double start = 0, end = 0;
  };

  // The earliest start >= ready at which `length` seconds are free.
  double first_fit(double ready, double length) const;
  void reserve(double start, double end);  // must be free
  void release(double start, double end);  // must be reserved: undoes reserve exactly
  double last_end() const { return busy_.empty() ? 0 : busy_.back().end; }
  const std::vector<Busy>& busy() const { return busy_; }

private:
  std::vector<Busy> busy_;  // sorted, disjoint, not touching
};

// The earliest start >= ready at which both are free for `length` seconds.
double first_fit(const Timeline& a, const Timeline& b, double ready, double length);

}  // namespace mkmd::scheduler
