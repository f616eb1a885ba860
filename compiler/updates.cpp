// SPDX-License-Identifier: Apache-2.0
#include "compiler/updates.hpp"

namespace mkmd::compiler {

namespace {

ByteRanges bytes(const ByteRanges& known, bool unknown, uint64_t size) {
  ByteRanges all = unknown ? ByteRanges(0, size) : known;
  all.clip(0, size);
  return all;
}

std::vector<Updated> updates_alone(const Footprint& f, uint64_t size) {
  std::vector<Updated> all;
  for (const auto& [may, unknown] : f.updates)
    all.push_back({may.by, bytes(may.bytes, unknown, size)});
  return updated_alone(all, bytes(f.others, f.others_unknown, size));
}

ByteRanges written_by_one(const Footprint& writer, const Footprint& other, uint64_t size) {
  ByteRanges touched = bytes(other.reads, other.reads_unknown, size);
  touched.unite(bytes(other.may_writes, other.writes_unknown, size));
  return bytes(writer.may_writes, writer.writes_unknown, size).intersection(touched);
}

}  // namespace

Meeting meeting(const Footprint& a, const Footprint& b, uint64_t size) {
  ByteRanges common = written_by_one(a, b, size);
  common.unite(written_by_one(b, a, size));
  if (common.empty()) return Meeting::none;
  common.subtract(commuting(updates_alone(a, size), updates_alone(b, size)));
  return common.empty() ? Meeting::updates : Meeting::conflict;
}

}  // namespace mkmd::compiler
