// SPDX-License-Identifier: Apache-2.0
// The part of Runtime that makes the loss of a device good. When an action finds its device or a memory gone,
// nothing new starts; once what runs is over, the journal says what has to be done again. What had not begun
// is planned anew on the devices that are left, and so are whole commands whose bytes are lost; of a command
// of which other pieces were done, the missing ones run at home. If bytes that unfinished commands need are
// nowhere any more, those commands end with an error, as when a driver loses its device.
#include "libinterpose/capture/runtime.hpp"

#include "common/log.hpp"
#include "libinterpose/commands/emulated_copies.hpp"
#include "libinterpose/emulation/machine.hpp"

#include <algorithm>
#include <cstring>

namespace mkmd {

namespace {

constexpr cl_int kDeviceLost = CL_OUT_OF_RESOURCES;  // as drivers call it

CommandDeed& of_command(Deed& deed) {
  return static_cast<CommandDeed&>(deed);  // the runtime makes no others
}

// A lost memory would not answer. Its bytes are overwritten so that nobody is served from it by mistake.
void overwrite(Storage& storage, int domain, const ByteRanges& ranges) {
  const Lock lock(storage.bytes_mutex);
  char* const bytes = storage.bytes[domain];
  if (bytes == nullptr) return;
  ranges.each_range([&](const ByteRange& r) { std::memset(bytes + r.lo, 0xA5, r.hi - r.lo); });
}

}  // namespace

bool Runtime::new_loss() const {
  for (size_t d = 1; d < domains_.count(); ++d) {
    if ((lost_domains_ >> d & 1u) == 0 && configuration_.machine->lost(static_cast<int>(d))) return true;
  }
  return false;
}

void Runtime::take_loss(Memory& root) {
  Storage& storage = *root.storage;
  const uint32_t lost = lost_domains_ & ~storage.lost;
  storage.lost |= lost;
  for (int d = 1; d < static_cast<int>(domains_.count()); ++d) {
    if ((lost >> d & 1u) == 0) continue;
    storage.regions.remove_valid(d, storage.history->all());
    storage.history->held[d].set(storage.history->all(), Versions::kNone);
    overwrite(storage, d, storage.history->all());
  }
}

void Runtime::note_done(Action& action) {
  if (action.moved_history != nullptr) {
    History& history = *action.moved_history;
    history.held[action.lane->domain].copy(action.moved_ranges, history.held[action.from_domain]);
  }
  if (!action.deed) return;
  journal_->complete(*action.deed, action.lane->domain);
  if (std::holds_alternative<ReadCommand>(command_of(action).what)) journal_->remove({action.deed});
  action.deed = nullptr;
}

void Runtime::lost(Action& action) {
  executor_.mutex().is_held();
  if (!action.deed || !action.begun) return;
  // Where another device shares the memory, it is still there, but nobody knows how far the piece came.
  CommandDeed& deed = of_command(*action.deed);
  for (size_t i = 0; i < deed.uses.size(); ++i) {
    deed.uses[i].buffer->held[action.lane->domain].set(deed.uses[i].writes, Versions::kNone);
    overwrite(*deed.roots[i]->storage, action.lane->domain, deed.uses[i].writes);
  }
}

void Runtime::halted() {
  executor_.mutex().is_held();
  recover();
}

void Runtime::note_native_write(Memory& root) {
  auto deed = std::make_shared<CommandDeed>();
  Journal::Deeds dropped;  // after the lock
  const Lock lock(executor_.mutex());
  deed->sequence = session_.numbers.next_sequence();
  deed->written = Ref<Memory>(&root);
  deed->roots = {&root};
  deed->uses = {{root.storage->history.get(), {}, root.storage->history->all()}};
  journal_->complete(*deed, 0);
  journal_->add(std::move(deed));
  dropped = journal_->trim(kRemembered);
}

void Runtime::drop_unfinished_actions() {
  last_in_order_ = nullptr;
  if (entry_) entry_->on_complete.clear();
  executor_.drop_waiting();
  for (const auto& deed : journal_->deeds()) {
    if (deed->complete) continue;
    Command& command = *of_command(*deed).command;
    command.pending -= std::exchange(command.open_actions, 0);
  }
  begin_epoch();
}

void Runtime::fail_unfinished() {
  std::vector<Ref<Command>> failed;
  for (const auto& deed : journal_->deeds()) {
    if (deed->complete) continue;
    Command& command = *of_command(*deed).command;
    journal_->fail(*deed);
    if (!failed.empty() && failed.back().get() == &command) continue;
    ++command.pending;
    command.status = kDeviceLost;
    command.started = command.ended = now();
    failed.emplace_back(&command);
  }
  log(LogLevel::error, std::to_string(failed.size()) + " commands need bytes that were lost with a device");
  for (const Ref<Command>& command : failed)
    finish_part(*command);
}

std::vector<Ref<Command>> Runtime::commands_to_redo(const Journal::Deeds& redo) {
  std::map<const Command*, size_t> parts;  // of all in the journal
  for (const auto& deed : journal_->deeds())
    ++parts[of_command(*deed).command.get()];
  std::map<uint64_t, std::vector<CommandDeed*>> by_command;
  for (const auto& deed : redo)
    by_command[deed->sequence].push_back(&of_command(*deed));
  std::vector<Ref<Command>> commands;
  for (const auto& [sequence, deeds] : by_command) {
    const Ref<Command> old = deeds.front()->command;
    Ref<Command> command = old;
    if (old->done) {
      command = Ref<Command>(new Command(old->what, old->queue.get()));
      command->sequence = sequence;
      command->queued = old->queued;
      unfinished_.fetch_add(1, std::memory_order_acq_rel);
    } else {
      ++command->pending;
    }
    command->number = session_.numbers.next_sequence();
    if (KernelCommand* const kernel = command->kernel()) {
      if (old->done) kernel->sample = {.device = -1};
      kernel->redo.clear();
      for (const CommandDeed* deed : deeds) {
        if (deeds.size() < parts[old.get()]) kernel->redo.push_back(deed->box);
      }
    }
    commands.push_back(std::move(command));
  }
  return commands;
}

// Nothing runs. What happens here is, like all planning, charged to the emulated time. Whoever plans just now
// relies on where the bytes are: it comes here when it is done.
void Runtime::recover() {
  if (planning_) return;
  for (size_t d = 1; d < domains_.count(); ++d) {
    if (configuration_.machine->lost(static_cast<int>(d))) lost_domains_ |= 1u << d;
  }
  drop_unfinished_actions();
  std::vector<Memory*> roots;
  for (const auto& deed : journal_->deeds())
    roots.insert(roots.end(), of_command(*deed).roots.begin(), of_command(*deed).roots.end());
  std::sort(roots.begin(), roots.end());
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
  for (Memory* root : roots)
    take_loss(*root);

  std::optional<Journal::Deeds> redo = journal_->to_redo();
  executor_.resume();
  std::vector<Ref<Command>> commands;
  if (redo) commands = commands_to_redo(*redo);
  if (redo) {
    journal_->remove(*redo);
    executor_.let_go_later(std::make_shared<Journal::Deeds>(std::move(*redo)));
  } else {
    fail_unfinished();
  }
  for (Memory* root : roots) {
    RegionMap& regions = root->storage->regions;
    regions.set_invalid(root->storage->history->all());
    const std::vector<ByteRanges> valid = journal_->valid(*root->storage->history, {});
    for (size_t d = 0; d < valid.size(); ++d)
      regions.add_valid(static_cast<int>(d), valid[d]);
    join_epoch(*root);
  }
  if (!commands.empty()) {
    configuration_.machine->count_again(commands.size());
    log(LogLevel::info, "a device has failed: " + std::to_string(commands.size()) +
                            " commands are planned again on the others");
  }
  for (Ref<Command>& command : std::exchange(window_, {}))
    commands.push_back(std::move(command));
  if (!commands.empty()) plan_emulated(commands);
  executor_.let_go_later(std::make_shared<std::vector<Ref<Command>>>(std::move(commands)));
  if (!executor_.is_halted()) executor_.resume();  // else another device was lost meanwhile
}

void Runtime::notice_losses() {
  Executor::Dead dead;
  {
    std::unique_lock regime(regime_);
    Lock lock(executor_.mutex());
    if (executor_.is_halted() || !new_loss()) return;
    lock.unlock();
    if (!capturing()) enter_captured_regime();
    lock.lock();
    executor_.start_threads();
    unfinished_.fetch_add(1, std::memory_order_acq_rel);  // recovering may, or may not, capture something
    executor_.halt();
    if (!executor_.is_running()) recover();
    if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) leave_captured_regime();
    dead = executor_.take_dead();
  }
  Executor::bury(std::move(dead));
}

void Runtime::forget_history() {
  Journal::Deeds dropped;  // after the lock: they may hold the last references to objects
  const Lock lock(executor_.mutex());
  if (journal_) dropped = journal_->trim(0);
}

}  // namespace mkmd
