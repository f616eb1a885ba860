// SPDX-License-Identifier: Apache-2.0
// The validator: whether a schedule could be carried out and does all the work of its problem. It knows
// nothing of how the schedule was made. It replays transfers and pieces against the definition below and
// accepts or names the first thing that is wrong. Used by every policy test, the simulator and debug
// builds.
#pragma once

#include "scheduler/problem.hpp"
#include "scheduler/schedule.hpp"

namespace mkmd::scheduler {

// A schedule is valid when all of these hold:
// - The pieces of every task tile [0, 1] and are whole units. A task that is not divisible has one piece.
//   Pieces run on devices that may run the task, for their share of its time plus the device's launch time.
// - A piece takes longer where the task's bytes share the bandwidth of a memory. Then the task's pieces can
//   at no time have moved more bytes than the bandwidth allows. What other tasks move meanwhile is not
//   counted: plans do not know it.
// - No device does two things at once: pieces, aborted runs and merges. What takes no time is in no other's
//   way. If the schedule is in order, none of these and no transfer overlaps with another, anywhere.
// - Every input slice of a piece (or aborted run) is in the memory of its device when it starts. It was
//   resident, was computed there, or arrived by a transfer. An edge without bytes only orders in time.
// - A transfer takes slices that are in its source memory when it starts. It lasts at least latency + bytes
//   / bandwidth. It is alone on the out-port of its source and on the in-port of its destination.
// - A merge starts when all pieces of its task have ended and their results have arrived. Results of pieces
//   that ran elsewhere are usable in that memory from the end of the merge.
//
// Times are compared with a tolerance of 1e-9 of the makespan, shares with 1e-9.
Status validate(const Problem& problem, const Schedule& schedule);

}  // namespace mkmd::scheduler
