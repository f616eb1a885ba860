// SPDX-License-Identifier: Apache-2.0
// The plans of the last windows. A program that iterates, and waits in every iteration, captures the same
// window again and again: the same launches on the same buffers, which lie where they lay then. Such a window
// takes over the plan that was made for it, as long as no predicted time has changed much.
#pragma once

#include "libinterpose/planning/plan.hpp"

namespace mkmd::planning {

class KeptPlans {
public:
  std::optional<Plan> take(const Identity& identity);
  void keep(Plan plan);

private:
  static constexpr size_t kMost = 4;
  static constexpr size_t kMostTasks = 256;
  std::vector<Plan> plans_;  // the oldest first
};

// Whether the plan, made for a window like this one, may be used for it: what is predicted of its tasks and
// where their bytes lie is what it was then, more or less.
bool still_holds(const Plan& plan, const std::vector<Task>& tasks, const Machine& machine,
                 const BufferOf& buffer_of);

}  // namespace mkmd::planning
