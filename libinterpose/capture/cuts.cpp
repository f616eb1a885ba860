// SPDX-License-Identifier: Apache-2.0
// What becomes of the shares a policy wanted: steady cuts, parts of long pieces, and whether the pieces may
// run side by side at all.
#include "libinterpose/capture/planner.hpp"
#include "libinterpose/runtime/runtime.hpp"

#include <algorithm>
#include <cmath>

namespace mkmd {

namespace {

constexpr uint64_t kNarrowRow = 128;  // bytes: moving a shorter one takes about as long

}  // namespace

// Of the dimensions a launch may be cut along, the one whose pieces write the fewest separate ranges (a
// transposition cut the other way would scatter rows over the devices); among equals the slowest, whose slabs
// are contiguous.
Cut best_cut(const KernelArguments& arguments, const LaunchFacts& facts) {
  const compiler::Launch& launch = facts.launch();
  compiler::GroupBox whole;
  for (size_t d = 0; d < 3; ++d)
    whole.hi[d] = launch.global[d] / launch.local[d];
  const auto uses = [&](const compiler::GroupBox& box) {
    return buffer_uses(arguments, facts, box, compiler::kMostBlocks);
  };
  Cut cut;
  uint64_t fewest = UINT64_MAX;
  for (int d = 2; d >= 0; --d) {
    if (whole.hi[d] < 2) continue;
    compiler::GroupBox first = whole;
    compiler::GroupBox second = whole;
    first.hi[d] = second.lo[d] = whole.hi[d] / 2;
    BufferUses of_first = uses(first);
    uint64_t ranges = 0;
    for (const BufferUse& use : of_first) {
      for (const ByteRows& rows : use.writes)
        ranges += rows.count;
    }
    if (ranges >= fewest || !independent(of_first, uses(second))) continue;
    fewest = ranges;
    cut = {d, std::move(of_first)};
  }
  return cut;
}

// Shares follow what was learned, and that is noisy: a cut moves only if that changes a share by more than 2
// %, since every move takes data along (Rule 15).
void Planner::keep_cuts(Task& task) {
  if (task.pieces.size() < 2 || !task.command->redo.empty()) return;
  constexpr size_t kMost = 4096;  // launches: a program that changes a scalar on every one must not grow us
  const Command& c = *task.command;
  if (runtime_.cuts_.size() > kMost) runtime_.cuts_.clear();
  auto& kept = runtime_.cuts_[{runtime_.kernel_model(*c.launch.kernel).number, c.cost.shape}];
  const auto groups = static_cast<double>(c.launch.groups[task.cut]);
  bool keep = kept.size() == task.pieces.size();
  for (size_t i = 0; i < task.pieces.size() && keep; ++i) {
    const double move =
        static_cast<double>(task.pieces[i].box.hi[task.cut]) - static_cast<double>(kept[i].end);
    keep =
        kept[i].device == task.pieces[i].device && kept[i].cut == task.cut && std::abs(move) <= 0.02 * groups;
  }
  if (!keep) kept.resize(task.pieces.size());
  for (size_t i = 0; i < task.pieces.size(); ++i) {
    Piece& piece = task.pieces[i];
    if (keep) {
      piece.box.hi[task.cut] = kept[i].end;
      if (i > 0) piece.box.lo[task.cut] = kept[i - 1].end;
    } else {
      kept[i] = {piece.device, task.cut, piece.box.hi[task.cut]};
    }
  }
}

// Rule 18: a long piece is launched in parts, so that what has not started can still move to a device that
// falls idle, and copies of what the first part wrote need not wait for the last. Where the policy itself has
// given a device several pieces, those are the parts.
void Planner::cut_in_parts(Task& task) {
  constexpr double kLong = 1e-3;  // seconds
  if (task.pieces.size() < 2 || !task.command->redo.empty()) return;
  const auto groups = static_cast<double>(task.command->launch.groups[task.cut]);
  std::vector<Piece> parts;
  for (const Piece& piece : task.pieces) {
    const uint64_t lo = piece.box.lo[task.cut];
    const uint64_t hi = piece.box.hi[task.cut];
    const double per_group = task.seconds[piece.device] / groups;
    const double seconds = static_cast<double>(hi - lo) * per_group;
    const bool several = std::count_if(task.pieces.begin(), task.pieces.end(),
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
      parts.back().box.lo[task.cut] = done;
      parts.back().box.hi[task.cut] = done + count;
      parts.back().seconds = static_cast<double>(count) * per_group;
      parts.back().start += static_cast<double>(done - lo) * per_group;
      done += count;
    }
  }
  task.pieces = std::move(parts);
}

// Byte sets of very many blocks cost more to keep, and narrow rows more to move, than they save: their hulls
// are taken. Where sets only order commands, the hull orders enough. Otherwise reading a hull brings a few
// bytes too many, and writing one needs what lies between to be valid first. Says whether more is written
// now.
bool Planner::coarsen(BufferUses& uses) const {
  const auto scattered = [&](const ByteRanges& ranges, const Memory& root) {
    if (order_only_ || ranges.size() > kFewBlocks) return ranges.size() > kFewBlocks;
    uint64_t moved_as = 0;
    for (const ByteRows& block : ranges)
      moved_as += block.count * std::max(block.length, kNarrowRow);
    const ByteRange hull = ranges.hull();
    return moved_as > hull.hi - hull.lo + 256 * kNarrowRow || !root.storage->regions.suits(ranges);
  };
  bool writes_more = false;
  for (BufferUse& use : uses) {
    const auto to_hull = [&](ByteRanges& ranges) {
      if (ranges.size() == 1 && ranges.begin()->count == 1) return false;
      if (!scattered(ranges, *use.root)) return false;
      ranges = ByteRanges(ranges.hull().lo, ranges.hull().hi);
      return true;
    };
    to_hull(use.reads);
    to_hull(use.needed);
    if (to_hull(use.writes) && !order_only_) {
      writes_more = true;
      use.needed.unite(use.writes);
    }
  }
  return writes_more;
}

// False: the hulls of split pieces overlap.
bool Planner::coarsen_pieces(Task& task) const {
  if (task.pieces.size() < 2) return true;  // the whole is coarse already
  bool write_more = false;
  for (Piece& piece : task.pieces)
    write_more |= coarsen(piece.uses);
  return !write_more || split_is_safe(task);
}

bool Planner::split_is_safe(const Task& task) const {
  for (size_t a = 0; a < task.pieces.size(); ++a) {
    for (size_t b = a + 1; b < task.pieces.size(); ++b) {
      if (!independent(task.pieces[a].uses, task.pieces[b].uses)) return false;
    }
  }
  return true;
}

}  // namespace mkmd
