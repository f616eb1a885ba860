// SPDX-License-Identifier: Apache-2.0
// What a policy is asked: a Platform and a TaskGraph. The Platform has devices, the memories they work in,
// and the links between those. The TaskGraph has tasks with predicted seconds per device, edges with the
// bytes that flow, and data already in place. These are plain values in seconds and bytes; tasks and
// devices are referred to by their index. Start with Problem.
#pragma once

#include "common/status.hpp"
#include "platform/platform.hpp"

#include <limits>
#include <string>
#include <vector>

namespace mkmd::scheduler {

// A time that a task does not have: it cannot run on that device.
inline constexpr double kNever = std::numeric_limits<double>::infinity();

using platform::Device;
using platform::DeviceClass;
using platform::Link;
using platform::Memory;
using platform::Platform;
using platform::to_string;

struct Task {
  int id = 0;  // the name in JSON; everywhere else tasks are indices
  std::string name;
  std::vector<double> times;  // seconds of the whole task, one per device; kNever: not on this device
  bool divisible = false;
  int pinned = -1;      // device index
  double priority = 0;  // used by rank=given
  int units = 0;        // pieces are whole multiples of 1/units; 0: any share
  // What all its work-groups together read and write in the memory of their device, beyond caches. Whatever
  // `times` say, no device does the task in less than bytes / bw_one, and pieces in one memory not in less
  // than bytes / bw_all. 0: not bound by memory. A launch measured to be faster than that has fewer bytes.
  double bytes = 0;
};

// row: a piece [lo, hi) of the consumer needs only [lo, hi) of the buffer; full: it needs all of it.
enum class Access { full, row };

struct Edge {
  int src = 0, dst = 0;  // task indices
  double bytes = 0;      // of the whole buffer; 0: an order without data
  std::string buffer;
  Access access = Access::full;
};

// A part of a buffer that lies in a memory at time 0. It stands for what a source (a task without inputs that
// takes no time) produces under that name, never for results computed in this graph.
struct Resident {
  std::string buffer;
  int mem = 0;
  double lo = 0, hi = 1;
};

struct TaskGraph {
  std::vector<Task> tasks;
  std::vector<Edge> edges;
  std::vector<Resident> resident;
};

struct Problem {
  Platform platform;
  TaskGraph graph;
};

// Whether every number and index makes sense, naming the place that does not ("graph.tasks[3].times[1]:
// ..."). Cycles are found by ProblemIndex::make, which calls this first.
Status check(const Problem& problem);

}  // namespace mkmd::scheduler
