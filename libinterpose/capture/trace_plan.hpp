// SPDX-License-Identifier: Apache-2.0
// Lines of the trace. One kind has a planned window: its commands, the graph that the policy was given, and
// the plan. The other has bytes that went from one memory to another.
#pragma once

#include "libinterpose/commands/command.hpp"
#include "libinterpose/planning/plan.hpp"
#include "libinterpose/report/trace.hpp"

#include <nlohmann/json.hpp>

#include <optional>

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

struct TracedTransfer {
  std::optional<uint64_t> command;  // the number of the one it is made for
  uint64_t buffer;                  // its number
  uint64_t bytes;
  int from, to;  // domains; -1: the program's memory
  cl_ulong start, end;
};
nlohmann::json transfer_line(const TracedTransfer& transfer);

}  // namespace mkmd
