// SPDX-License-Identifier: Apache-2.0
// Fills and copies between several memories. Where the plan wants nothing of them, a copy is made where its
// source lies, and a fill at home.
#include "libinterpose/capture/lowering.hpp"
#include "libinterpose/commands/careful.hpp"
#include "libinterpose/commands/submit.hpp"
#include "libinterpose/planning/placement.hpp"

namespace mkmd {

using planning::shifted;

struct Lowering::Share {
  Lane* lane;
  ByteRange bytes;
  cl_mem source, destination;  // of the root buffers
};

// What makes a share.
struct Lowering::Made {
  BufferUses uses;
  Action::Work work;
  std::function<Action::Work(Lane&)> redo;
};

// `copy`: null for a fill.
std::vector<Lowering::Share> Lowering::shares_of(const planning::PlannedTask& of, Memory& to,
                                                 const CopyCommand* copy) {
  Memory* const from = copy != nullptr ? &copy->source.root() : nullptr;
  std::vector<Share> shares;
  ByteRanges left = planning::own_bytes(of.task);
  // False if that memory is full.
  const auto add = [&](Lane& lane, const ByteRange& bytes) {
    const auto in = [&](Memory& root) {
      return root.storage->in_domain(root, lane.domain, domains_[lane.domain].context);
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
    return session_.configuration.lane_domain(device) == 0 ? executor_.lanes().home()
                                                           : *executor_.lanes().compute()[device];
  };
  for (const planning::Wanted& wanted : of.wanted) {
    if (!add(lane_of(wanted.device), wanted.bytes))
      plan_.may_keep = false;  // there may be room the next time
  }
  if (from != nullptr && of.task.follows_bytes) {
    const uint64_t ahead = copy->source_ahead();
    for (const RegionMap::Source& source : from->storage->regions.sources(shifted(left, ahead))) {
      Lane& lane = lane_of(domains_[source.domain].devices.front());
      for (const ByteRange& range : planning::contiguous(of.task, shifted(source.ranges, -ahead)))
        add(lane, range);
    }
  }
  if (!left.empty()) add(executor_.lanes().home(), left.hull());  // where there is always room
  return shares;
}

void Lowering::emit(planning::PlannedTask& of, Command& c, const FillCommand& fill) {
  Devices& devices = executor_.devices();
  Memory& to = fill.destination.root();
  emit_shares(shares_of(of, to, nullptr), c, to, [&](const Share& share) {
    Lane& lane = *share.lane;
    const ByteRanges written(share.bytes.lo, share.bytes.hi);
    Made made{
        {{{{}, written, {}}, &to}}, fill_bytes(devices, lane, fill, share.destination, share.bytes), {}};
    if (lane.domain == 0) {
      made.redo = [&devices, &fill, share](Lane& home) {
        return fill_bytes(devices, home, fill, share.destination, share.bytes);
      };
    } else {
      made.redo = [&fill, bytes = share.bytes, where = remote(lane.domain, made.uses)](Lane&) {
        return fill_afar(fill, bytes, where);
      };
    }
    return made;
  });
}

void Lowering::emit(planning::PlannedTask& of, Command& c, const CopyCommand& copy) {
  Devices& devices = executor_.devices();
  Memory& from = copy.source.root();
  Memory& to = copy.destination.root();
  emit_shares(shares_of(of, to, &copy), c, to, [&](const Share& share) REQUIRES(executor_.mutex()) {
    Lane& lane = *share.lane;
    const ByteRanges written(share.bytes.lo, share.bytes.hi);
    const ByteRanges read = shifted(written, copy.source_ahead());
    make_valid(lane.domain, from, read);
    Made made{{{{read, {}, read}, &from}, {{{}, written, {}}, &to}},
              copy_bytes(devices, lane, copy, share.source, share.destination, share.bytes),
              {}};
    if (lane.domain == 0) {
      made.redo = [&devices, &copy, share](Lane& home) {
        return copy_bytes(devices, home, copy, share.source, share.destination, share.bytes);
      };
    } else {
      made.redo = [&copy, bytes = share.bytes, where = remote(lane.domain, made.uses)](Lane&) {
        return copy_afar(copy, bytes, where);
      };
    }
    return made;
  });
}

void Lowering::emit_shares(const std::vector<Share>& shares, Command& c, Memory& to,
                           const std::function<Made(const Share&)>& make) {
  std::vector<Ref<Action>> actions;
  std::vector<BufferUses> uses;
  for (const Share& share : shares) {
    Lane& lane = *share.lane;
    Made made = make(share);
    if (losses_) Losses::will_use(made.uses);
    if (to.storage->regions.is_home(lane.domain)) overwrite_home(to, {share.bytes.lo, share.bytes.hi});
    const Ref<Action> action = new_action(lane, &c, std::move(made.work));
    action->elsewhere.redo = std::move(made.redo);
    action->uses = made.uses;
    if (losses_) losses_->plan(*action, made.uses, {});
    order_uses(lane.domain, made.uses, *action);
    uses.push_back(std::move(made.uses));
    actions.push_back(action);
  }
  // Then each record says that the bytes are valid there alone: several may have made the same.
  for (size_t i = 0; i < actions.size(); ++i)
    record_uses(shares[i].lane->domain, uses[i], *actions[i]);
  for (size_t i = 0; i < actions.size(); ++i) {
    if (shares.size() > 1)
      to.storage->regions.add_valid(shares[i].lane->domain, {shares[i].bytes.lo, shares[i].bytes.hi});
    executor_.push(actions[i]);
  }
}

}  // namespace mkmd
