// SPDX-License-Identifier: Apache-2.0
// Pieces that update the same numbers in several memories. Those in other memories than home's find copies
// that begin with the identity. Each copy is merged into home's bytes when all pieces are over.
#include "libinterpose/capture/lowering.hpp"
#include "libinterpose/capture/window_planning.hpp"
#include "libinterpose/commands/updates.hpp"
#include "libinterpose/planning/updates.hpp"

#include <algorithm>

namespace mkmd {

namespace {

UpdatesApart::Buffer& buffer_of(UpdatesApart& copies, Memory& root) {
  const auto known = std::ranges::find(copies.buffers, &root, &UpdatesApart::Buffer::root);
  return known != copies.buffers.end() ? *known
                                       : copies.buffers.emplace_back(UpdatesApart::Buffer{.root = &root});
}

void add(UpdatesApart::Buffer& buffer, const std::vector<compiler::Updated>& updates) {
  for (const compiler::Updated& updated : updates) {
    const auto known = std::ranges::find(buffer.updates, updated.by, &compiler::Updated::by);
    if (known != buffer.updates.end()) {
      known->bytes.unite(updated.bytes);
    } else {
      buffer.updates.push_back(updated);
    }
  }
}

}  // namespace

// The bytes are valid at home, where the merges find them, and nowhere else from then on.
Lowering::AllApart Lowering::begin_apart(const planning::PlannedTask& of, Command& c) {
  AllApart all;
  std::map<int, Lane*> lanes;
  for (const planning::Piece& piece : of.pieces) {
    if (piece.apart.empty()) continue;
    const int domain = session_.configuration.lane_domain(piece.device);
    lanes[domain] = executor_.lanes().compute()[piece.device];
    order_ = order_of(piece.order);
    std::shared_ptr<UpdatesApart>& copies = all[domain].copies;
    if (!copies) copies = std::make_shared<UpdatesApart>();
    for (const planning::BufferUpdates& updated : piece.apart) {
      add(buffer_of(*copies, *updated.root), updated.updates);
      for (const compiler::Updated& some : updated.updates)
        make_valid(0, *updated.root, some.bytes);
    }
    for (const BufferUse& use : piece.uses) {
      const ByteRanges changed = planning::in_place(use);
      if (changed.empty()) continue;
      make_valid(0, *use.root, changed);
      use_of(all[domain].kept, use.root).needed.unite(changed);
    }
  }
  for (auto& [domain, apart] : all) {
    for (UpdatesApart::Buffer& buffer : apart.copies->buffers) {
      Storage& storage = *buffer.root->storage;
      buffer.there = storage.in_domain(*buffer.root, domain, domains_[domain].context);
      buffer.at_home = storage.in_domain(*buffer.root, 0, domains_[0].context);
    }
    order_ = order_of(of.first_order());
    apart.begin = new_action(*lanes[domain], &c, begin_updates(*lanes[domain], *apart.copies));
    apart.begin->elsewhere.redo = [copies = apart.copies](Lane&) { return spoil_updates(copies, nullptr); };
    apart.begin->uses = apart.copies->uses(false);
    order_uses(domain, apart.begin->uses, *apart.begin);
    for (const BufferUse& use : apart.begin->uses)
      use.root->storage->regions.record_write(domain, use.writes, *apart.begin);
    executor_.push(apart.begin);
  }
  return all;
}

// The piece waits for its copies. If it fails, home does again what else it writes, and the merge all that
// was to be updated in this memory.
void PiecesApart::add(const planning::Piece& piece, Action& action) {
  const bool writes =
      std::ranges::any_of(piece.uses, [](const BufferUse& use) { return !use.writes.empty(); });
  action.elsewhere.redo = [copies = copies, writes, again = std::move(action.elsewhere.redo)](Lane& home) {
    return spoil_updates(copies, writes ? again(home) : nullptr);
  };
  for (BufferUse& use : copies->uses(false)) {
    use.root->storage->regions.record_write(action.lane->domain, use.writes, action);
    action.uses.push_back(std::move(use));
  }
  action.wait_for(*begin);
  boxes.push_back(piece.box);
  for (const BufferUse& use : piece.uses) {
    ByteRanges there = use.needed;
    there.subtract(planning::in_place(use));
    use_of(reads, use.root).needed.unite(there);
  }
}

void Lowering::merge(AllApart& all, const KernelCommand& kernel, Command& c,
                     const std::vector<Ref<Action>>& pieces) {
  if (all.empty()) return;
  Lane& home = *domains_[0].transfer;
  Ref<Action> before;
  for (auto& [domain, apart] : all) {
    const Lane& there = *domains_[domain].transfer;
    const Ref<Action> action =
        new_action(home, &c, merge_updates(executor_.devices(), there, home, apart.copies));
    action->origin.what = "merging updates";
    // Parts of one command do not wait for each other by themselves.
    for (const Ref<Action>& piece : pieces)
      action->wait_for(*piece);
    if (before) action->wait_for(*before);
    before = action;
    action->elsewhere.redo = [&kernel,
                              done = DoneThere{apart.boxes,
                                               {apart.reads, remote(domain, apart.reads)},
                                               {apart.kept, remote(0, apart.kept)}},
                              copies = apart.copies, &home](Lane& lane) {
      return updates_from_afar(lane, kernel, done, copies, home);
    };
    action->uses = apart.copies->uses(true);
    Memory& first = *action->uses.front().root;
    action->transfer.memory = Ref<Memory>(&first);
    action->transfer.from_domain = domain;
    action->transfer.buffer = buffer_number(session_.numbers, first);
    action->transfer.consumer = c.number;
    for (const BufferUse& use : action->uses) {
      RegionMap& regions = use.root->storage->regions;
      action->transfer.bytes += use.writes.total();
      regions.order_write(0, use.writes, *action);
      regions.record_read(domain, use.writes, *action);
      regions.record_write(0, use.writes, *action);
      regions.set_only_valid(0, use.writes);
    }
    // If it has to be done again, home finds there what the pieces have read, and here what they have
    // changed.
    for (const BufferUse& use : apart.reads)
      use.root->storage->regions.record_read(domain, use.needed, *action);
    for (const BufferUse& use : apart.kept)
      use.root->storage->regions.read(0, use.needed, *action);
    executor_.push(action);
  }
}

}  // namespace mkmd
