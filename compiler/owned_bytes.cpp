// SPDX-License-Identifier: Apache-2.0
#include "compiler/owned_bytes.hpp"

namespace mkmd::compiler {

namespace {

constexpr size_t kMostRuns = size_t{1} << 16;

bool is_in(const GroupBox& box, uint64_t group, const std::array<uint64_t, 3>& groups) {
  const uint64_t at[] = {group % groups[0], group / groups[0] % groups[1], group / groups[0] / groups[1]};
  for (size_t d = 0; d < 3; ++d)
    if (at[d] < box.lo[d] || at[d] >= box.hi[d]) return false;
  return true;
}

}  // namespace

OwnedBytes::OwnedBytes(const std::array<uint64_t, 3>& groups, uint64_t unit, std::span<const uint32_t> owners)
    : groups_(groups), unit_(unit) {
  for (uint64_t e = 0; e < owners.size() && !too_many_; ++e) {
    if (owners[e] == 0) continue;
    if (!runs_.empty() && runs_.back().end == e && runs_.back().group == owners[e] - 1) {
      ++runs_.back().end;
    } else if (runs_.size() < kMostRuns) {
      runs_.push_back({e, e + 1, owners[e] - 1});
    } else {
      too_many_ = true;
      runs_ = {};
    }
  }
}

ByteRanges OwnedBytes::bytes(const GroupBox& box, bool inside) const {
  std::vector<ByteRows> blocks;
  for (const Run& run : runs_) {
    if (is_in(box, run.group, groups_) != inside) continue;
    const uint64_t begin = run.begin * unit_, length = (run.end - run.begin) * unit_;
    if (!blocks.empty() && blocks.back().hi() == begin) {
      blocks.back().length += length;
    } else {
      blocks.push_back({begin, length, 0, 1});
    }
  }
  return ByteRanges::of_blocks(std::move(blocks));
}

// Updates of numbers that nobody else touches are plain writes.
void OwnedBytes::limit(Use& use, const GroupBox& box, size_t most_blocks) const {
  if (too_many_) return;
  const ByteRanges own = bytes(box, true), of_others = bytes(box, false);
  if (own.size() > most_blocks || of_others.size() > most_blocks) return;
  for (const Updated& updated : use.updates) {
    for (ByteRanges* const set : {&use.reads, &use.writes, &use.needed})
      set->unite(updated.bytes);
  }
  use.updates.clear();
  use.writes = use.writes.intersection(own);
  use.reads.subtract(of_others);
  use.needed.subtract(of_others);
}

}  // namespace mkmd::compiler
