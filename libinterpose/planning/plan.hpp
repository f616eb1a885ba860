// SPDX-License-Identifier: Apache-2.0
// The result of planning: which work-groups of each kernel run on which device, and in which memories fills
// and copies are made. It also has the order in which devices take ready actions.
#pragma once

#include "libinterpose/planning/window.hpp"
#include "scheduler/schedule.hpp"

#include <map>
#include <memory>
#include <utility>

namespace mkmd::planning {

// What a piece updates in a copy of the buffer that is its memory's own.
struct BufferUpdates {
  Memory* root = nullptr;
  std::vector<compiler::Updated> updates;
};

struct Piece {
  int device = 0;
  compiler::GroupBox box;
  BufferUses uses{};
  std::vector<BufferUpdates> apart{};  // not in `uses`
  double seconds = 0;                  // predicted; of parts of long pieces only
  double start = 0;                    // where the plan puts it
  size_t order = 0;                    // its place among all of the plan
};

// Bytes of a fill's or copy's destination that the window needs in the memory of a device.
struct Wanted {
  int device = 0;
  ByteRange bytes;
};

struct PlannedTask {
  Task task;  // without `uses_of`
  BufferUses whole;
  BufferUses first_half;  // along `cut`
  int cut = -1;           // the dimension it may be split along; -1: not at all
  // Pieces that are cut so change the same bytes, by updates that commute.
  bool updates_together = false;
  std::vector<double> seconds_added{};  // then: by device, to the task's, for merging; empty: none
  double bytes = 0;                     // that it must move to and from memory; 0: they may stay in caches
  std::vector<Piece> pieces;
  std::vector<Wanted> wanted;       // of a fill or copy
  double start = 0;                 // where the plan puts its first piece
  size_t order = 0;                 // of a command without pieces
  bool as_before = false;           // in pieces whose code has run
  const char* not_split = nullptr;  // why a split is not offered to the policy, or not made

  size_t first_order() const;
};

// Where the policy takes the bytes of a buffer from that a memory lacks.
struct PlannedSource {
  int domain;
  double lo, hi;  // shares of the buffer
};
using PlannedSources = std::map<std::pair<uint64_t, int>, std::vector<PlannedSource>>;  // buffer, destination

// What makes a window the same as an earlier one.
struct Identity {
  std::vector<uint64_t> words;  // empty: it is like no other
  // Named there by their addresses, which do not become those of others while these live.
  std::vector<std::weak_ptr<const void>> named;
};

struct Plan {
  std::vector<PlannedTask> tasks;               // of the window's first commands, in their order
  size_t orders = 0;                            // how many places there are
  std::optional<scheduler::Schedule> schedule;  // the policy's; none: everything runs on one device
  int only_device = -1;                         // which; -1: home
  std::string trouble;                          // why the policy made none, if it should have
  PlannedSources sources;
  bool kept = false;           // it was made for an earlier window
  bool one_at_a_time = false;  // no two actions run at the same time: the schedule's, or a sample's wish

  // For KeptPlans.
  Identity identity;
  std::vector<ByteRanges> places;  // where the bytes lie that the window finds
  bool may_keep = true;
};

// The kernel graph of the tasks, for the scheduler. It has a task per command, and an edge wherever a command
// reads what another one wrote. Task 0, at home, is the source of all bytes from before the window.
scheduler::Problem make_problem(const Machine& machine, const std::vector<PlannedTask>& tasks,
                                const BufferOf& buffer_of);

}  // namespace mkmd::planning
