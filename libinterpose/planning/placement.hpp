// SPDX-License-Identifier: Apache-2.0
// Fills and copies between several memories. They are made in each memory whose devices need the result next.
// So a fill moves nothing, and a copy moves only the source bytes that are not valid there.
#pragma once

#include "libinterpose/planning/plan.hpp"

namespace mkmd::planning {

// The bytes of the destination.
ByteRanges own_bytes(const Task& task);

inline ByteRanges shifted(ByteRanges ranges, uint64_t offset) {
  ranges.shift(offset);
  return ranges;
}

// What is made at a time: contiguous bytes, of a fill whole patterns. Nothing if that would be too many, and
// all of them at once would make too much: a copy has to be brought its source.
std::vector<ByteRange> contiguous(const Task& task, const ByteRanges& bytes);

// Sets PlannedTask::wanted of all tasks. Their pieces are known.
void find_wanted(std::vector<PlannedTask>& tasks, const Machine& machine);

}  // namespace mkmd::planning
