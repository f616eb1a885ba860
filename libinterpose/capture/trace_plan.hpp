// SPDX-License-Identifier: Apache-2.0
// The trace's line about a planned window: its commands, the graph the policy was given, and the plan.
#pragma once

#include "libinterpose/commands/command.hpp"
#include "libinterpose/planning/plan.hpp"
#include "libinterpose/report/trace.hpp"

#include <nlohmann/json.hpp>

namespace mkmd {

struct PlanningFacts {
  const planning::Machine& machine;
  const planning::BufferOf& buffer_of;
  const TimeModel& times;
  cl_ulong now;             // nanoseconds of the clock whose times the program sees
  double planning_seconds;  // what it took
  nlohmann::json planned;   // what the plan follows from; null: not to be traced
};
// The plan is of the window's first commands. Only while tracing.
void trace_plan(Trace& trace, const planning::Plan& plan, const std::vector<Ref<Command>>& window,
                PlanningFacts facts);

}  // namespace mkmd
