// SPDX-License-Identifier: Apache-2.0
// OnlinePolicy: decides while things run. It is told which tasks became ready and which pieces ended, and is
// asked what to start next. Only the discrete-event simulator (simulator.hpp) asks. The runtime plans whole
// windows: of an online policy it carries out what the simulator observed (policies/online_adapter.hpp).
// A policy sees predicted times and what has happened, never the future. One object follows one execution at
// a time.
#pragma once

#include "scheduler/problem_index.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <string_view>

namespace mkmd::scheduler {

// A piece that was given to a device and has not ended.
struct OnlinePiece {
  int task = -1;
  double lo = 0, hi = 1;
  double arrival = 0;       // when its inputs are on the device
  double start = 0;         // when it started; kNever while it waits behind another piece
  double expected_end = 0;  // by the predicted times; kNever while it waits
};

// What an OnlinePolicy may look at.
struct OnlineState {
  const ProblemIndex* index = nullptr;
  double now = 0;
  std::vector<std::deque<OnlinePiece>> queue;  // per device: what it runs, then what waits there
  std::vector<bool> alive;                     // false: the device is lost
  std::vector<int> device_of;                  // per task: where its latest piece was given; -1: nowhere yet
  std::vector<double> unassigned;              // per task: the share not given to any device

  // When the inputs of [lo, hi) of a ready task could be on the device, were it given there now.
  std::function<double(int task, int device, double lo, double hi)> inputs_ready;

  bool idle(int device) const { return queue[device].empty() && alive[device]; }
  bool may_run(int task, int device) const { return alive[device] && index->eligible(task, device); }

  std::vector<int> devices_running(int task) const {
    std::vector<int> devices;
    for (size_t d = 0; d < queue.size(); ++d)
      if (!queue[d].empty() && queue[d].front().task == task) devices.push_back(static_cast<int>(d));
    return devices;
  }

  // When the device would have done all it was given, by the predicted times.
  double available(int device) const {
    double time = now;
    for (const OnlinePiece& p : queue[device])
      time = p.expected_end != kNever
                 ? std::max(time, p.expected_end)
                 : std::max(time, p.arrival) + index->duration(p.task, device, p.hi - p.lo);
    return time;
  }
};

struct Work {
  int task = -1, device = -1;
  double lo = 0, hi = 1;
  bool spoliate = false;  // the task runs elsewhere: abort it there and start it again here
};

// What an ended piece of one task passes as a whole to another, moved before that one is ready.
struct Prefetch {
  int producer = -1, consumer = -1, device = -1;
  double lo = 0, hi = 1;
};

class OnlinePolicy {
public:
  virtual ~OnlinePolicy() = default;
  virtual std::string_view name() const = 0;
  virtual void begin(const OnlineState& state) = 0;            // a new execution: forget the last
  virtual void ready(int task, const OnlineState& state) = 0;  // all its predecessors are done
  // The device was lost with this piece unfinished: its share must be given to another.
  virtual void lost(const OnlinePiece& piece, int /*device*/, const OnlineState& state) {
    ready(piece.task, state);
  }
  // `seconds` is what the piece took from its start, on a device of possibly other speed than predicted.
  virtual void ended(const OnlinePiece& /*piece*/, int /*device*/, double /*seconds*/,
                     const OnlineState& /*state*/) {}
  // Which of the pieces that wait on the device, now free, runs next.
  virtual size_t pick(int /*device*/, const OnlineState& /*state*/) { return 0; }
  // Asked again and again, after everything that happened at one instant has been told, until it returns
  // nothing.
  virtual std::optional<Work> next(const OnlineState& state) = 0;
  // Asked again and again when there is nothing more to start: transfers may use the time.
  virtual std::optional<Prefetch> prefetch(const OnlineState& /*state*/) { return std::nullopt; }
};

}  // namespace mkmd::scheduler
