// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/planning/placement.hpp"

#include <algorithm>

namespace mkmd::planning {

ByteRanges own_bytes(const Task& task) {
  return {task.destination_begin, task.destination_begin + task.size};
}

std::vector<ByteRange> contiguous(const Task& task, const ByteRanges& bytes) {
  constexpr uint64_t kMost = 8;
  uint64_t count = 0;
  for (const ByteRows& block : bytes)
    count += block.count;
  const bool fills = task.kind == CommandKind::fill;
  std::vector<ByteRange> ranges;
  if (count <= kMost) {
    bytes.each_range([&](const ByteRange& range) { ranges.push_back(range); });
  } else if (fills) {
    ranges = {bytes.hull()};
  }
  for (ByteRange& range : ranges) {
    if (!fills) break;
    range.lo -= (range.lo - task.destination_begin) % task.pattern_size;
    range.hi += (task.destination_begin - range.hi) % task.pattern_size;
  }
  return ranges;
}

// From the last command to the first, with what those behind need of each buffer, by memory domain.
void find_wanted(std::vector<PlannedTask>& tasks, const Machine& machine) {
  if (std::none_of(tasks.begin(), tasks.end(), [](const PlannedTask& of) { return of.task.follows_bytes; }))
    return;
  struct Need {
    int device = 0;  // who needs some of them first
    ByteRanges bytes;
  };
  std::map<const Memory*, std::map<int, Need>> needs;
  const auto add = [&](const Memory* root, int device, const ByteRanges& bytes) {
    if (bytes.empty()) return;
    Need& need = needs[root][machine.domain_of(device)];
    need.device = device;
    need.bytes.unite(bytes);
  };
  for (auto of = tasks.rbegin(); of != tasks.rend(); ++of) {
    const Task& task = of->task;
    of->wanted.clear();
    if (task.follows_bytes) {
      const ByteRanges own = own_bytes(task);
      for (auto& [domain, need] : needs[task.destination]) {
        for (const ByteRange& range : contiguous(task, need.bytes.intersection(own))) {
          of->wanted.push_back({need.device, range});
          if (task.kind == CommandKind::copy)
            add(task.source, need.device, shifted({range.lo, range.hi}, task.source_ahead()));
        }
        need.bytes.subtract(own);
      }
      continue;
    }
    for (const BufferUse& use : of->whole) {
      if (const auto by_domain = needs.find(use.root); by_domain != needs.end()) {
        for (auto& [domain, need] : by_domain->second)
          need.bytes.subtract(use.writes);
      }
    }
    for (const Piece& piece : of->pieces) {
      for (const BufferUse& use : piece.uses)
        add(use.root, piece.device, use.needed);
    }
  }
}

}  // namespace mkmd::planning
