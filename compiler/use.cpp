// SPDX-License-Identifier: Apache-2.0
#include "compiler/use.hpp"

#include <algorithm>

namespace mkmd::compiler {

namespace {

// From an argument's offsets to the buffer's, without what lies beyond the end of the argument.
ByteRanges in_buffer(const Through& through, ByteRanges bytes, bool unknown) {
  bytes.clip(0, through.size / through.pixel);
  if (through.pixel > 1) bytes.scale(through.pixel);
  if (unknown) bytes = {0, through.size};
  bytes.shift(through.origin);
  return bytes;
}

std::vector<Updated> updates_alone(const std::vector<Through>& arguments) {
  std::vector<Updated> updates;
  ByteRanges others;
  for (const Through& through : arguments) {
    const Footprint& f = *through.footprint;
    if (f.updates.empty()) {
      others.unite(in_buffer(through, f.reads, f.reads_unknown));
      others.unite(in_buffer(through, f.may_writes, f.writes_unknown));
      continue;
    }
    others.unite(in_buffer(through, f.others, f.others_unknown));
    for (const auto& [may, unknown] : f.updates) {
      auto at = std::ranges::find(updates, may.by, &Updated::by);
      if (at == updates.end()) at = updates.insert(at, {may.by, {}});
      at->bytes.unite(in_buffer(through, may.bytes, unknown));
    }
  }
  std::vector<Updated> alone = updates;
  for (Updated& one : alone) {
    one.bytes.subtract(others);
    for (const Updated& other : updates)
      if (other.by != one.by) one.bytes.subtract(other.bytes);
  }
  std::erase_if(alone, [](const Updated& one) { return one.bytes.empty(); });
  return alone;
}

}  // namespace

Use use_of(const std::vector<Through>& arguments) {
  Use use;
  for (const Through& through : arguments) {
    const Footprint& f = *through.footprint;
    const ByteRanges reads = in_buffer(through, f.reads, f.reads_unknown);
    const ByteRanges writes = in_buffer(through, f.may_writes, f.writes_unknown);
    ByteRanges needed = writes;
    if (!f.writes_unknown) needed.subtract(in_buffer(through, f.sure_writes, false));
    needed.unite(reads);
    use.reads.unite(reads);
    use.writes.unite(writes);
    use.needed.unite(needed);
  }
  const auto updates_any = [](const Through& through) { return !through.footprint->updates.empty(); };
  if (std::ranges::any_of(arguments, updates_any)) use.updates = updates_alone(arguments);
  return use;
}

ByteRanges commuting(const std::vector<Updated>& a, const std::vector<Updated>& b) {
  ByteRanges all;
  for (const Updated& x : a) {
    const auto y = std::ranges::find(b, x.by, &Updated::by);
    if (y != b.end()) all.unite(x.bytes.intersection(y->bytes));
  }
  return all;
}

Meeting meeting(const Use& a, const Use& b) {
  if (!a.writes.overlaps(b.writes) && !a.writes.overlaps(b.reads) && !b.writes.overlaps(a.reads))
    return Meeting::none;
  if (a.updates.empty() || b.updates.empty()) return Meeting::conflict;
  ByteRanges touched = b.reads;
  touched.unite(b.writes);
  ByteRanges common = a.writes.intersection(touched);
  common.unite(b.writes.intersection(a.reads));
  common.subtract(commuting(a.updates, b.updates));
  return common.empty() ? Meeting::updates : Meeting::conflict;
}

}  // namespace mkmd::compiler
