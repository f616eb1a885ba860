// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/capture/losses.hpp"

#include "libinterpose/memory/storage.hpp"

#include <algorithm>
#include <cstring>
#include <set>

namespace mkmd {

namespace {

// A lost memory would not answer. Its bytes are overwritten so that no read gets them by mistake.
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
    storage.stand_in.drop(d, storage.history->all());
    overwrite(storage, d, storage.history->all());
  }
}

void Losses::will_use(const BufferUses& uses) {
  for (const BufferUse& use : uses) {
    History& history = *use.root->storage->history;
    history.used.unite(use.needed.intersection(history.fresh));
  }
}

ByteRanges Losses::will_overwrite(Memory& root, const ByteRanges& ranges) {
  History& history = *root.storage->history;
  const ByteRanges overwritten = history.fresh.intersection(ranges);
  history.fresh.subtract(overwritten);
  return overwritten.intersection(history.used);
}

void Losses::plan(Action& action, const BufferUses& uses, const compiler::GroupBox& box) {
  auto deed = std::make_shared<CommandDeed>();
  Command& command = command_of(action);
  deed->sequence = command.sequence;
  deed->command = Ref<Command>(&command);
  deed->box = box;
  deed->repeatable = command.is_repeatable();
  deed->together = command.can_be_made_anywhere();  // its parts may make the same bytes
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
    history.held_in(action.works_in())
        .copy(action.transfer.ranges, history.held[action.transfer.from_domain]);
  }
  if (!action.loss.deed) return;
  journal_.complete(*action.loss.deed, action.works_in());
  if (std::holds_alternative<ReadCommand>(command_of(action).what)) journal_.remove({action.loss.deed});
  action.loss.deed = nullptr;
}

// Where another device shares the memory, it is still there.
void Losses::note_lost(Action& action) {
  if (!action.driver.begun) return;
  const int domain = action.works_in();
  if (action.transfer.history != nullptr)
    action.transfer.history->held_in(domain).set(action.transfer.ranges, Versions::kNone);
  if (!action.loss.deed) return;
  CommandDeed& deed = of_command(*action.loss.deed);
  for (size_t i = 0; i < deed.uses.size(); ++i) {
    deed.uses[i].buffer->held_in(domain).set(deed.uses[i].writes, Versions::kNone);
    if (executor_.devices().is_lost(domain)) overwrite(*deed.roots[i]->storage, domain, deed.uses[i].writes);
  }
}

void Losses::note_failed(Action& action) {
  action.driver.begun = true;
  note_lost(action);
  if (!action.loss.deed) return;
  journal_.fail(*action.loss.deed);
  action.loss.deed = nullptr;
}

// From the newest on, until what they keep alive is too much.
size_t Losses::affordable() const {
  std::set<const Memory*> kept;
  uint64_t bytes = 0;
  const Journal::Deeds& deeds = journal_.deeds();
  for (size_t i = deeds.size(); i-- > 0;) {
    const CommandDeed& deed = of_command(*deeds[i]);
    for (const Memory* root : deed.roots) {
      if (root->program_references() == 0 && kept.insert(root).second) bytes += root->size;
    }
    const auto* const write = deed.command ? std::get_if<WriteCommand>(&deed.command->what) : nullptr;
    if (write != nullptr) bytes += write->size;
    if (bytes > kMostBytes) return deeds.size() - i - 1;
  }
  return deeds.size();
}

Journal::Deeds Losses::trim() {
  constexpr size_t kSeldom = 32;  // looking at all of them takes as long as planning a window
  const bool looks = ++trims_ % kSeldom == 0;
  return trim(std::min(kRemembered, looks ? affordable() : kRemembered));
}

void Losses::note_native_write(Memory& root, const ByteRanges& ranges) {
  History& history = *root.storage->history;
  if (history.deeds.load(std::memory_order_relaxed) == 0) {  // nothing else asks what was there before
    history.before.set(ranges, Versions::kOriginal);
    for (size_t d = 0; d < history.held.size(); ++d)
      history.held[d].set(ranges, d == 0 ? Versions::kOriginal : Versions::kNone);
    history.forget();
    return;
  }
  history.fresh.subtract(ranges);
  auto deed = std::make_shared<CommandDeed>();
  deed->sequence = numbers_.next_sequence();
  deed->written = Ref<Memory>(&root);
  deed->roots = {&root};
  deed->uses = {{&history, {}, ranges}};
  journal_.complete(*deed, 0);
  journal_.add(std::move(deed));
}

}  // namespace mkmd
