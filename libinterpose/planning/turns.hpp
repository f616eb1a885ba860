// SPDX-License-Identifier: Apache-2.0
// Drivers that share cores take turns (timing/rivalry.hpp): a window's kernels are offered to one team only.
#pragma once

#include "libinterpose/planning/cuts.hpp"
#include "libinterpose/planning/window.hpp"
#include "libinterpose/timing/rivalry.hpp"

namespace mkmd::planning {

// Leaves to the kernels only the devices of the team whose turn it is. If that is worth it, one kernel that
// `cuts` knows how to divide also gets a sample on another team. Task::kernel.experience is known. The first
// launch of a kernel that may not move yet is the first team's. True: it is another team's turn, so that the
// window's commands are to run one after the other.
bool take_turns(std::vector<Task>& tasks, const Machine& machine, const BufferOf& buffer_of,
                const CutMemory& cuts, timing::Rivalry& rivalry, double now);

// Takes them from one that came later. A kernel that no other device may run keeps all.
void offer_to(int team, Task& task, const timing::Rivalry& rivalry);

}  // namespace mkmd::planning
