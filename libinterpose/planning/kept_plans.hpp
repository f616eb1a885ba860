// SPDX-License-Identifier: Apache-2.0
// The plans of the last windows. A program that iterates, and waits in every iteration, captures equal
// windows: the same launches on the same buffers, with the same residency. Such a window takes over the plan
// of an earlier one, as long as no predicted time has changed much.
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

// Whether the plan of an equal window may be used for this one: residency is the same, and predicted times
// are about the same.
bool still_holds(const Plan& plan, const std::vector<Task>& tasks, const Machine& machine,
                 const BufferOf& buffer_of);

}  // namespace mkmd::planning
