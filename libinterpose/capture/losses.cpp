// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/capture/losses.hpp"

#include "libinterpose/memory/storage.hpp"

#include <cstring>

namespace mkmd {

namespace {

// A lost memory would not answer. Its bytes are overwritten so that nobody is served from it by mistake.
void overwrite(Storage& storage, int domain, const ByteRanges& ranges) {
  const Lock lock(storage.mapped_mutex);
  char* const visible = storage.host_bytes(domain);
  char* const bytes = visible != nullptr ? visible : storage.mapped[domain];
  if (bytes == nullptr) return;
  ranges.each_range([&](const ByteRange& r) { std::memset(bytes + r.lo, 0xA5, r.hi - r.lo); });
}

}  // namespace

bool Losses::any_new() const {
  for (int d = 1; d < domains_; ++d) {
    if ((lost_ >> d & 1u) == 0 && executor_.devices().is_lost(d)) return true;
  }
  return false;
}

void Losses::take_new() {
  for (int d = 1; d < domains_; ++d) {
    if (executor_.devices().is_lost(d)) lost_ |= 1u << d;
  }
}

void Losses::tell(Memory& root) const {
  Storage& storage = *root.storage;
  const uint32_t lost = lost_ & ~storage.lost;
  storage.lost |= lost;
  for (int d = 1; d < domains_; ++d) {
    if ((lost >> d & 1u) == 0) continue;
    storage.regions.remove_valid(d, storage.history->all());
    storage.history->held[d].set(storage.history->all(), Versions::kNone);
    overwrite(storage, d, storage.history->all());
  }
}

void Losses::plan(Action& action, const BufferUses& uses, const compiler::GroupBox& box) {
  auto deed = std::make_shared<CommandDeed>();
  Command& command = command_of(action);
  deed->sequence = command.sequence;
  deed->command = Ref<Command>(&command);
  deed->box = box;
  deed->repeatable = command.is_repeatable();
  for (const BufferUse& use : uses) {
    deed->roots.push_back(use.root);
    deed->uses.push_back({use.root->storage->history.get(), use.needed, use.writes});
  }
  action.loss.deed = deed;
  journal_.add(std::move(deed));
}

void Losses::doom(Command& command, const BufferUses& uses) {
  auto deed = std::make_shared<CommandDeed>();
  deed->sequence = command.sequence;
  deed->command = Ref<Command>(&command);
  for (const BufferUse& use : uses) {
    use.root->storage->regions.set_invalid(use.writes);
    deed->roots.push_back(use.root);
    deed->uses.push_back({use.root->storage->history.get(), {}, use.writes});
  }
  journal_.fail(*deed);
  journal_.add(std::move(deed));
}

void Losses::note_done(Action& action) {
  if (action.transfer.history != nullptr) {
    History& history = *action.transfer.history;
    history.held[action.lane->domain].copy(action.transfer.ranges, history.held[action.transfer.from_domain]);
  }
  if (!action.loss.deed) return;
  journal_.complete(*action.loss.deed, action.lane->domain);
  if (std::holds_alternative<ReadCommand>(command_of(action).what)) journal_.remove({action.loss.deed});
  action.loss.deed = nullptr;
}

// Where another device shares the memory, it is still there.
void Losses::note_lost(Action& action) {
  if (!action.loss.deed || !action.driver.begun) return;
  CommandDeed& deed = of_command(*action.loss.deed);
  for (size_t i = 0; i < deed.uses.size(); ++i) {
    deed.uses[i].buffer->held[action.lane->domain].set(deed.uses[i].writes, Versions::kNone);
    overwrite(*deed.roots[i]->storage, action.lane->domain, deed.uses[i].writes);
  }
}

void Losses::note_native_write(Memory& root) {
  auto deed = std::make_shared<CommandDeed>();
  deed->sequence = numbers_.next_sequence();
  deed->written = Ref<Memory>(&root);
  deed->roots = {&root};
  deed->uses = {{root.storage->history.get(), {}, root.storage->history->all()}};
  journal_.complete(*deed, 0);
  journal_.add(std::move(deed));
}

}  // namespace mkmd
