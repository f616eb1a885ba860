// SPDX-License-Identifier: Apache-2.0
// Memory bandwidth is a resource the devices of a memory share (Rule 16).
#pragma once

#include "libinterpose/planning/plan.hpp"

namespace mkmd::planning {

// The memory home works in, if it is known how fast that is; else null.
const scheduler::Memory* home_memory(const Machine& machine);

// The bytes a kernel moves to and from memory; 0: caches may hold them.
double memory_bytes(const PlannedTask& task, const Machine& machine);

// Rules 15 and 16: where all devices share one memory, whether they could finish together at least a tenth
// earlier than the quickest does alone.
bool bandwidth_allows_gain(const PlannedTask& task, const Machine& machine);

}  // namespace mkmd::planning
