// SPDX-License-Identifier: Apache-2.0
// SharedSpeed: when pieces end, if devices change their speed and pieces in one memory share its bandwidth.
// A piece moves its bytes evenly over its own time. While the pieces in a memory together want more than
// the memory gives, all of them that move any are slowed by the same factor. For the simulator.
#pragma once

#include "scheduler/problem_index.hpp"

#include <vector>

namespace mkmd::scheduler {

// From `time` on, the device works at `speed` times its speed of time 0.
struct SpeedChange {
  int device = 0;
  double time = 0;
  double speed = 1;
};

class SharedSpeed {
public:
  SharedSpeed(const ProblemIndex& index, std::vector<SpeedChange> changes);

  // When `seconds` of work at the first speed are done on a device that shares nothing.
  double end_alone(int device, double from, double seconds) const;

  // A piece that alone takes `seconds`, from `start` on, which may lie ahead.
  void begin(int device, double start, double seconds, double bytes);
  void stop(int device);    // it ended, or was given up
  void advance(double to);  // to a time at which nothing has ended yet, or just ends

  // When each device's piece ends if nothing else begins; kNever without one. Right for the first to end.
  void ends(std::vector<double>& end) const;

private:
  struct Piece {
    double start = 0;
    double left = 0;    // seconds of its own time
    double demand = 0;  // bytes/s at the first speed
    bool working = false;
  };
  double speed_at(int device, double time) const;
  std::vector<double> rates() const;  // of each device: own seconds per second
  double next_change() const;         // a piece begins or a device changes its speed

  const ProblemIndex* index_;
  std::vector<SpeedChange> changes_;  // by time
  std::vector<Piece> pieces_;         // by device
  double now_ = 0;
};

}  // namespace mkmd::scheduler
