// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/planning/cuts.hpp"

#include "libinterpose/planning/updates.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace mkmd::planning {

namespace {

constexpr uint64_t kNarrowRow = 128;  // bytes: moving a shorter one takes about as long

unsigned several_groups(const Task& task) {  // a bit per dimension
  unsigned among = 0;
  for (int d = 0; d < 3; ++d)
    among |= task.kernel.groups[d] > 1 ? 1u << d : 0;
  return among;
}

bool is_scattered(const ByteRanges& ranges, const Machine& machine, const Buffer& buffer) {
  if (machine.order_only() || ranges.size() > kFewBlocks) return ranges.size() > kFewBlocks;
  uint64_t moved_as = 0;
  for (const ByteRows& block : ranges)
    moved_as += block.count * std::max(block.length, kNarrowRow);
  const ByteRange hull = ranges.hull();
  return moved_as > hull.hi - hull.lo + 256 * kNarrowRow || !buffer.residency->suits(ranges);
}

}  // namespace

// Of the dimensions along which a launch may be cut, the one whose pieces write the fewest separate ranges. A
// transposition that is cut the other way would scatter rows over the devices. Among equals it is the slowest
// dimension, whose slabs are contiguous.
Cut best_cut(const std::array<uint64_t, 3>& groups,
             const std::function<BufferUses(const compiler::GroupBox& box, size_t most_blocks)>& uses_of,
             bool (*may_be_apart)(const BufferUses&, const BufferUses&)) {
  const compiler::GroupBox whole{{0, 0, 0}, groups};
  Cut cut;
  uint64_t fewest = UINT64_MAX;
  for (int d = 2; d >= 0; --d) {
    if (whole.hi[d] < 2) continue;
    compiler::GroupBox first = whole;
    compiler::GroupBox second = whole;
    first.hi[d] = second.lo[d] = whole.hi[d] / 2;
    BufferUses of_first = uses_of(first, compiler::kMostBlocks);
    uint64_t ranges = 0;
    for (const BufferUse& use : of_first) {
      for (const ByteRows& rows : use.writes)
        ranges += rows.count;
    }
    if (ranges >= fewest || !may_be_apart(of_first, uses_of(second, compiler::kMostBlocks))) continue;
    fewest = ranges;
    cut = {d, std::move(of_first)};
  }
  return cut;
}

int CutMemory::dimension(const Task& task) const {
  const auto known = dimensions_.find(task.kernel.number);
  if (known == dimensions_.end() || known->second.among != several_groups(task)) return -1;
  return known->second.dimension;
}

void CutMemory::set_dimension(const Task& task, int dimension) {
  if (dimensions_.size() > kMost) dimensions_.clear();
  dimensions_[task.kernel.number] = {dimension, several_groups(task)};
}

void CutMemory::copy_of(const Task& task, const CutMemory& from, bool with_dimension) {
  if (!task.is_kernel()) return;
  if (const auto known = from.dimensions_.find(task.kernel.number);
      with_dimension && known != from.dimensions_.end())
    dimensions_.insert(*known);
  if (const auto known = from.ends_.find({task.kernel.number, task.kernel.shape}); known != from.ends_.end())
    ends_.insert(*known);
}

nlohmann::json to_json(const CutMemory& cuts) {
  nlohmann::json dimensions = nlohmann::json::array();
  for (const auto& [kernel, known] : cuts.dimensions_)
    dimensions.push_back({{"kernel", kernel}, {"dimension", known.dimension}, {"among", known.among}});
  nlohmann::json ends = nlohmann::json::array();
  for (const auto& [of, known] : cuts.ends_) {
    nlohmann::json all = nlohmann::json::array();
    for (const CutMemory::End& end : known)
      all.push_back({end.device, end.cut, end.end});
    ends.push_back({{"kernel", of.first}, {"shape", of.second}, {"ends", std::move(all)}});
  }
  return {{"dimensions", std::move(dimensions)}, {"ends", std::move(ends)}};
}

CutMemory cuts_from_json(const nlohmann::json& json) {
  CutMemory cuts;
  for (const nlohmann::json& known : json.at("dimensions"))
    cuts.dimensions_[known.at("kernel")] = {known.at("dimension"), known.at("among")};
  for (const nlohmann::json& known : json.at("ends")) {
    auto& ends = cuts.ends_[{known.at("kernel"), known.at("shape")}];
    for (const nlohmann::json& end : known.at("ends"))
      ends.push_back({end.at(0), end.at(1), end.at(2)});
  }
  return cuts;
}

void CutMemory::keep_cuts(PlannedTask& of) {
  std::vector<Piece>& pieces = of.pieces;
  if (pieces.size() < 2 || !of.task.kernel.redo.empty()) return;
  if (ends_.size() > kMost) ends_.clear();
  std::vector<End>& kept = ends_[{of.task.kernel.number, of.task.kernel.shape}];
  const auto groups = static_cast<double>(of.task.kernel.groups[of.cut]);
  bool keep = kept.size() == pieces.size();
  for (size_t i = 0; i < pieces.size() && keep; ++i) {
    const double move = static_cast<double>(pieces[i].box.hi[of.cut]) - static_cast<double>(kept[i].end);
    keep = kept[i].device == pieces[i].device && kept[i].cut == of.cut && std::abs(move) <= 0.02 * groups;
  }
  if (!keep) kept.resize(pieces.size());
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (keep) {
      pieces[i].box.hi[of.cut] = kept[i].end;
      if (i > 0) pieces[i].box.lo[of.cut] = kept[i - 1].end;
    } else {
      kept[i] = {pieces[i].device, of.cut, pieces[i].box.hi[of.cut]};
    }
  }
}

void cut_in_parts(PlannedTask& of) {
  constexpr double kLong = 1e-3;  // seconds
  if (of.pieces.size() < 2 || !of.task.kernel.redo.empty()) return;
  const auto groups = static_cast<double>(of.task.kernel.groups[of.cut]);
  std::vector<Piece> parts;
  for (const Piece& piece : of.pieces) {
    const uint64_t lo = piece.box.lo[of.cut];
    const uint64_t hi = piece.box.hi[of.cut];
    const double per_group = of.task.seconds[piece.device] / groups;
    const double seconds = static_cast<double>(hi - lo) * per_group;
    const bool several = std::count_if(of.pieces.begin(), of.pieces.end(),
                                       [&](const Piece& other) { return other.device == piece.device; }) > 1;
    if (seconds < kLong || several) {
      parts.push_back(piece);
      if (seconds >= kLong) parts.back().seconds = seconds;
      continue;
    }
    const auto at_least = static_cast<uint64_t>(std::ceil(kShortestPart / per_group));
    uint64_t done = lo;
    for (const double share : {0.5, 0.25, 0.125, 1.0}) {
      auto count = std::max(at_least, static_cast<uint64_t>(share * static_cast<double>(hi - lo)));
      if (hi - done < count + at_least) count = hi - done;  // the rest is too short for a part of its own
      if (count == 0) break;
      parts.push_back(piece);
      parts.back().box.lo[of.cut] = done;
      parts.back().box.hi[of.cut] = done + count;
      parts.back().seconds = static_cast<double>(count) * per_group;
      parts.back().start += static_cast<double>(done - lo) * per_group;
      done += count;
    }
  }
  of.pieces = std::move(parts);
}

// A driver may have compiled other code for larger pieces, or for another device.
void cut_as_before(PlannedTask& of) {
  const KernelTask& kernel = of.task.kernel;
  if (!of.task.is_kernel() || !kernel.understood || !kernel.ran) return;
  of.pieces.clear();
  of.as_before = true;
  std::array<uint64_t, 3> extent{};
  for (int d = 0; d < 3; ++d) {
    const uint64_t parts = (kernel.groups[d] + kernel.ran->groups[d] - 1) / kernel.ran->groups[d];
    extent[d] = (kernel.groups[d] + parts - 1) / parts;
  }
  compiler::GroupBox box;
  for (box.lo[2] = 0; box.lo[2] < kernel.groups[2]; box.lo[2] = box.hi[2]) {
    box.hi[2] = std::min(kernel.groups[2], box.lo[2] + extent[2]);
    for (box.lo[1] = 0; box.lo[1] < kernel.groups[1]; box.lo[1] = box.hi[1]) {
      box.hi[1] = std::min(kernel.groups[1], box.lo[1] + extent[1]);
      for (box.lo[0] = 0; box.lo[0] < kernel.groups[0]; box.lo[0] = box.hi[0]) {
        box.hi[0] = std::min(kernel.groups[0], box.lo[0] + extent[0]);
        of.pieces.push_back({.device = kernel.ran->device, .box = box});
      }
    }
  }
}

bool split_is_safe(const PlannedTask& of, const Machine& machine) {
  const auto may_run_together = [&machine](const Piece& a, const Piece& b) {
    if (independent(a.uses, b.uses)) return true;
    return may_update_together(a, b, machine) && commute(a.uses, b.uses);
  };
  for (size_t a = 0; a < of.pieces.size(); ++a) {
    for (size_t b = a + 1; b < of.pieces.size(); ++b) {
      if (!may_run_together(of.pieces[a], of.pieces[b])) return false;
    }
  }
  return true;
}

bool coarsen(BufferUses& uses, const Machine& machine, const BufferOf& buffer_of) {
  bool writes_more = false;
  for (BufferUse& use : uses) {
    const auto to_hull = [&](ByteRanges& ranges) {
      if (ranges.empty() || (ranges.size() == 1 && ranges.begin()->count == 1)) return false;
      if (!is_scattered(ranges, machine, buffer_of(use.root))) return false;
      ranges = ByteRanges(ranges.hull().lo, ranges.hull().hi);
      return true;
    };
    to_hull(use.reads);
    to_hull(use.needed);
    if (to_hull(use.writes) && !machine.order_only()) {
      writes_more = true;
      use.needed.unite(use.writes);
    }
  }
  return writes_more;
}

bool coarsen_pieces(PlannedTask& of, const Machine& machine, const BufferOf& buffer_of) {
  if (of.pieces.size() < 2) return true;  // the whole is coarse already
  bool write_more = false;
  for (Piece& piece : of.pieces)
    write_more |= coarsen(piece.uses, machine, buffer_of);
  return !write_more || split_is_safe(of, machine);
}

}  // namespace mkmd::planning
