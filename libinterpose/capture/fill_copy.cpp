// SPDX-License-Identifier: Apache-2.0
// Fills and copies between several memories: made in each memory whose devices need the result next, so that
// a fill moves nothing and a copy only what its source lacks there; what nobody in the window needs is copied
// where the source lies, and filled at home.
#include "libinterpose/capture/planner.hpp"
#include "libinterpose/emulation/copies.hpp"
#include "libinterpose/emulation/demands.hpp"
#include "libinterpose/process.hpp"
#include "libinterpose/runtime/careful.hpp"
#include "libinterpose/runtime/submit.hpp"

#include <algorithm>
#include <map>

namespace mkmd {

namespace {

ByteRanges own_bytes(const Command& c) {
  const uint64_t begin = c.destination->origin + c.destination_offset;
  return {begin, begin + c.size};
}

ByteRanges shifted(ByteRanges ranges, uint64_t offset) {
  ranges.shift(offset);
  return ranges;
}

// What is made at a time: contiguous bytes, of a fill whole patterns. Nothing if that would be too many, and
// all of them at once would make too much: a copy has to be brought its source.
std::vector<ByteRange> contiguous(const Command& c, const ByteRanges& bytes) {
  constexpr uint64_t kMost = 8;
  uint64_t count = 0;
  for (const ByteRows& block : bytes)
    count += block.count;
  const bool fills = c.kind == Command::Kind::fill;
  std::vector<ByteRange> ranges;
  if (count <= kMost) {
    bytes.each_range([&](const ByteRange& range) { ranges.push_back(range); });
  } else if (fills) {
    ranges = {bytes.hull()};
  }
  const uint64_t begin = c.destination->origin + c.destination_offset;
  for (ByteRange& range : ranges) {
    if (!fills) break;
    range.lo -= (range.lo - begin) % c.pattern.size();
    range.hi += (begin - range.hi) % c.pattern.size();
  }
  return ranges;
}

}  // namespace

// Where devices can fail, the journal wants to know of one place for every byte.
bool Planner::follows_bytes(const Task& task) const {
  const Command::Kind kind = task.command->kind;
  return (kind == Command::Kind::fill || kind == Command::Kind::copy) && runtime_.separate_memories() &&
         !runtime_.journal_;
}

double Planner::seconds_to_make(const Command& command, int device) const {
  const DeviceRates& rates = runtime_.times_.rates(device);
  const double bytes = static_cast<double>(command.size) * (command.kind == Command::Kind::copy ? 2 : 1);
  return rates.launch_seconds + bytes / rates.bytes_per_second;
}

// From the last command to the first, with what those behind need of each buffer, by memory domain.
void Planner::find_wanted() {
  if (std::none_of(tasks_.begin(), tasks_.end(), [&](const Task& task) { return follows_bytes(task); }))
    return;
  struct Need {
    int device = 0;  // who needs some of them first
    ByteRanges bytes;
  };
  std::map<const Memory*, std::map<int, Need>> needs;
  const auto add = [&](const Memory* root, int device, const ByteRanges& bytes) {
    if (bytes.empty()) return;
    Need& need = needs[root][process().lane_domain(device)];
    need.device = device;
    need.bytes.unite(bytes);
  };
  for (auto task = tasks_.rbegin(); task != tasks_.rend(); ++task) {
    const Command& c = *task->command;
    task->wanted.clear();
    if (follows_bytes(*task)) {
      const ByteRanges own = own_bytes(c);
      for (auto& [domain, need] : needs[c.destination->root()]) {
        for (const ByteRange& range : contiguous(c, need.bytes.intersection(own))) {
          task->wanted.push_back({need.device, range});
          if (c.kind == Command::Kind::copy)
            add(c.source->root(), need.device, shifted({range.lo, range.hi}, c.source_ahead()));
        }
        need.bytes.subtract(own);
      }
      continue;
    }
    for (const BufferUse& use : task->whole) {
      if (const auto of = needs.find(use.root); of != needs.end()) {
        for (auto& [domain, need] : of->second)
          need.bytes.subtract(use.writes);
      }
    }
    for (const Piece& piece : task->pieces) {
      for (const BufferUse& use : piece.uses)
        add(use.root, piece.device, use.needed);
    }
  }
}

struct Planner::Share {
  Lane* lane;
  ByteRange bytes;
  cl_mem source, destination;  // of the root buffers
};

std::vector<Planner::Share> Planner::shares_of(const Task& task) {
  const Command& c = *task.command;
  Memory* const from = c.kind == Command::Kind::copy ? c.source->root() : nullptr;
  Memory& to = *c.destination->root();
  std::vector<Share> shares;
  ByteRanges left = own_bytes(c);
  // False if that memory is full.
  const auto add = [&](Lane& lane, const ByteRange& bytes) {
    const auto in = [&](Memory& root) {
      return root.storage->in_domain(root, lane.domain, runtime_.domains_[lane.domain].context);
    };
    const cl_mem destination = in(to);
    const cl_mem source = from != nullptr && destination != nullptr ? in(*from) : nullptr;
    if (destination == nullptr || (from != nullptr && source == nullptr)) return false;
    shares.push_back({&lane, bytes, source, destination});
    left.subtract({bytes.lo, bytes.hi});
    return true;
  };
  // The program's own memory is home's to write to, as for all other commands there.
  const auto lane_of = [&](int device) -> Lane& {
    return process().lane_domain(device) == 0 ? runtime_.executor_.home()
                                              : *runtime_.executor_.compute()[device];
  };
  for (const Wanted& wanted : task.wanted) {
    if (!add(lane_of(wanted.device), wanted.bytes)) words_.clear();  // there may be room the next time
  }
  if (from != nullptr && follows_bytes(task)) {
    for (const RegionMap::Source& source : from->storage->regions.sources(shifted(left, c.source_ahead()))) {
      Lane& lane = lane_of(runtime_.domains_[source.domain].devices.front());
      for (const ByteRange& range : contiguous(c, shifted(source.ranges, -c.source_ahead())))
        add(lane, range);
    }
  }
  if (!left.empty()) add(runtime_.executor_.home(), left.hull());  // where there is always room
  return shares;
}

void Planner::emit_fill_or_copy(Task& task) {
  Command& c = *task.command;
  const bool copies = c.kind == Command::Kind::copy;
  Memory& to = *c.destination->root();
  std::vector<Ref<Action>> actions;
  std::vector<BufferUses> uses;
  const std::vector<Share> shares = shares_of(task);
  for (const Share& share : shares) {
    Lane& lane = *share.lane;
    const ByteRanges written(share.bytes.lo, share.bytes.hi);
    BufferUses& of_share = uses.emplace_back();
    Action::Work work;
    std::function<Action::Work(Lane&)> redo;
    if (copies) {
      const ByteRanges read = shifted(written, c.source_ahead());
      of_share.push_back({c.source->root(), read, {}, read});
      make_valid(lane.domain, *c.source->root(), read);
      work = emulated_copy_work(lane, c, share.source, share.destination, share.bytes,
                                copy_bytes(lane, c, share.source, share.destination, share.bytes));
      redo = [&c, share](Lane& home) {
        return copy_bytes(home, c, share.source, share.destination, share.bytes);
      };
    } else {
      work = emulated_fill_work(lane, c, share.destination, share.bytes,
                                fill_bytes(lane, c, share.destination, share.bytes));
      redo = [&c, share](Lane& home) { return fill_bytes(home, c, share.destination, share.bytes); };
    }
    of_share.push_back({&to, {}, written, {}});
    const Ref<Action> action = new_action(lane, &c, std::move(work));
    if (lane.domain != 0) {
      redo = [&c, copies, bytes = share.bytes, where = remote(lane.domain, of_share)](Lane&) {
        return copies ? copy_afar(c, bytes, where) : fill_afar(c, bytes, where);
      };
    }
    action->redo = std::move(redo);
    action->uses = of_share;
    action->demand = emulated_fill_or_copy(lane.device, c, share.bytes.hi - share.bytes.lo);
    journal(*action, of_share);
    order_uses(lane.domain, of_share, *action);
    actions.push_back(action);
  }
  // Then each record says that the bytes are valid there alone: several may have made the same.
  for (size_t i = 0; i < actions.size(); ++i)
    record_uses(shares[i].lane->domain, uses[i], *actions[i]);
  for (size_t i = 0; i < actions.size(); ++i) {
    if (shares.size() > 1)
      to.storage->regions.add_valid(shares[i].lane->domain, {shares[i].bytes.lo, shares[i].bytes.hi});
    runtime_.executor_.push(actions[i]);
  }
}

}  // namespace mkmd
