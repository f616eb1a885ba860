// SPDX-License-Identifier: Apache-2.0
// Fills and copies between several memories. Where the plan wants nothing of them, a copy is made where its
// source lies, and a fill at home.
#include "libinterpose/capture/lowering.hpp"
#include "libinterpose/commands/careful.hpp"
#include "libinterpose/commands/emulated_copies.hpp"
#include "libinterpose/commands/emulated_demands.hpp"
#include "libinterpose/commands/submit.hpp"
#include "libinterpose/planning/placement.hpp"

namespace mkmd {

using planning::shifted;

struct Lowering::Share {
  Lane* lane;
  ByteRange bytes;
  cl_mem source, destination;  // of the root buffers
};

std::vector<Lowering::Share> Lowering::shares_of(const planning::PlannedTask& of, const Command& c) {
  Memory* const from = c.kind == Command::Kind::copy ? c.source->root() : nullptr;
  Memory& to = *c.destination->root();
  std::vector<Share> shares;
  ByteRanges left = planning::own_bytes(of.task);
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
    return runtime_.configuration_.lane_domain(device) == 0 ? runtime_.executor_.home()
                                                            : *runtime_.executor_.compute()[device];
  };
  for (const planning::Wanted& wanted : of.wanted) {
    if (!add(lane_of(wanted.device), wanted.bytes))
      plan_.may_keep = false;  // there may be room the next time
  }
  if (from != nullptr && of.task.follows_bytes) {
    for (const RegionMap::Source& source : from->storage->regions.sources(shifted(left, c.source_ahead()))) {
      Lane& lane = lane_of(runtime_.domains_[source.domain].devices.front());
      for (const ByteRange& range : planning::contiguous(of.task, shifted(source.ranges, -c.source_ahead())))
        add(lane, range);
    }
  }
  if (!left.empty()) add(runtime_.executor_.home(), left.hull());  // where there is always room
  return shares;
}

void Lowering::emit_fill_or_copy(const planning::PlannedTask& of, Command& c) {
  const bool copies = c.kind == Command::Kind::copy;
  Memory& to = *c.destination->root();
  std::vector<Ref<Action>> actions;
  std::vector<BufferUses> uses;
  const std::vector<Share> shares = shares_of(of, c);
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
      work =
          emulated_copy_work(runtime_.configuration_.machine, lane, c, share.source, share.destination,
                             share.bytes, copy_bytes(lane, c, share.source, share.destination, share.bytes));
      redo = [&c, share](Lane& home) {
        return copy_bytes(home, c, share.source, share.destination, share.bytes);
      };
    } else {
      work = emulated_fill_work(runtime_.configuration_.machine, lane, c, share.destination, share.bytes,
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
    action->demand = emulated_fill_or_copy(runtime_.configuration_.machine, lane.device, c,
                                           share.bytes.hi - share.bytes.lo);
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
