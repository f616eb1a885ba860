// SPDX-License-Identifier: Apache-2.0
// How much of caches one work-group takes; see LaunchFootprints::one_group().
#include <algorithm>
#include <numeric>

#include "compiler/footprint.hpp"

namespace mkmd::compiler {
namespace {

constexpr uint64_t kLine = 64, kSets = 64, kPage = 4096;
constexpr uint64_t kMostRows = 4096;    // looked at of one block: more say nothing new
constexpr size_t kBlocksOfAGroup = 16;  // what has more is scattered, not regular

struct BufferUse {
  double pages = 0;
  std::array<double, kSets> lines{};  // by set

  void add(const ByteRows& rows) {
    uint64_t next_line = 0;  // not yet counted, nor any after it
    uint64_t next_page = 0;
    for (uint64_t i = 0; i < std::min(rows.count, kMostRows); ++i) {
      const uint64_t last = rows.row(i) + rows.length - 1;
      const uint64_t page = std::max(next_page, rows.row(i) / kPage);
      next_page = std::max(next_page, last / kPage + 1);
      pages += static_cast<double>(next_page - page);
      uint64_t line = std::max(next_line, rows.row(i) / kLine);
      next_line = std::max(next_line, last / kLine + 1);
      const uint64_t rounds = (next_line - line) / kSets;
      for (double& set : lines)
        set += static_cast<double>(rounds);
      for (line += rounds * kSets; line < next_line; ++line)
        lines[line % kSets] += 1;
    }
  }

  double all_lines() const { return std::accumulate(lines.begin(), lines.end(), 0.0); }
  // How many lines share the set of a line: the mean over all lines.
  double crowding() const {
    const double squares = std::inner_product(lines.begin(), lines.end(), lines.begin(), 0.0);
    return squares > 0 ? squares / all_lines() : 0;
  }
};

}  // namespace

LaunchFootprints::GroupUse LaunchFootprints::one_group() const {
  GroupUse use;
  if (!uniform_) return use;
  GroupBox middle;  // where guards of the edges do not count
  for (size_t d = 0; d < 3; ++d) {
    middle.lo[d] = static_cast<uint64_t>(groups_[d] / 2);
    middle.hi[d] = middle.lo[d] + 1;
  }
  for (const Footprint& f : of(middle, kBlocksOfAGroup)) {
    if (info_.is_image(f.argument)) continue;  // which lies as its driver wants
    ByteRanges touched = f.reads;
    touched.unite(f.may_writes);
    BufferUse buffer;
    for (const ByteRows& rows : touched)
      buffer.add(rows);
    use.lines += buffer.all_lines() * static_cast<double>(kLine);
    use.reach += buffer.pages * static_cast<double>(kPage);
    use.crowding = std::max(use.crowding, buffer.crowding());
  }
  return use;
}

}  // namespace mkmd::compiler
