// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/planning/placement.hpp"

#include <algorithm>
#include <utility>

namespace mkmd::planning {

ByteRanges own_bytes(const Task& task) {
  const TransferTask& transfer = task.transfer;
  return {transfer.destination_begin, transfer.destination_begin + transfer.size};
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
    const auto [begin, pattern] = std::pair(task.transfer.destination_begin, task.transfer.pattern_size);
    range.lo -= (range.lo - begin) % pattern;
    range.hi += (begin - range.hi) % pattern;
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
      for (auto& [domain, need] : needs[task.transfer.destination]) {
        for (const ByteRange& range : contiguous(task, need.bytes.intersection(own))) {
          of->wanted.push_back({need.device, range});
          if (task.kind == CommandKind::copy)
            add(task.transfer.source, need.device,
                shifted({range.lo, range.hi}, task.transfer.source_ahead()));
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
