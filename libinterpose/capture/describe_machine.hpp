// SPDX-License-Identifier: Apache-2.0
// Describes the devices of a session to the planner.
#pragma once

#include "libinterpose/capture/session.hpp"
#include "libinterpose/planning/window.hpp"

namespace mkmd {

planning::Machine describe_machine(Session& session, const TimeModel& times, bool can_fail);
// Adds measured numbers, and answers of drivers.
void ask_about_memory(planning::Machine& machine, Session& session);

}  // namespace mkmd
