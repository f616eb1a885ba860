// SPDX-License-Identifier: Apache-2.0
// The part of Runtime that makes the loss of a device good. When an action finds its device or a memory gone,
// nothing new starts; once what runs is over, the journal says what has to be done again. What had not begun
// is planned anew on the devices that are left, and so are whole commands whose bytes are lost; of a command
// of which other pieces were done, the missing ones run at home. If bytes that unfinished commands need are
// nowhere any more, those commands end with an error, as when a driver loses its device.
#include "libinterpose/capture/runtime.hpp"

#include "common/log.hpp"
#include "libinterpose/emulation/machine.hpp"

#include <algorithm>

namespace mkmd {

namespace {

constexpr cl_int kDeviceLost = CL_OUT_OF_RESOURCES;  // as drivers call it

}  // namespace

void Runtime::lost(Action& action) {
  executor_.mutex().is_held();
  losses_->note_lost(action);
}

void Runtime::halted() {
  executor_.mutex().is_held();
  recover();
}

void Runtime::drop_unfinished_actions() {
  epoch_.drop_waiting();
  executor_.drop_waiting();
  for (const auto& deed : losses_->journal().deeds()) {
    if (deed->complete) continue;
    Command& command = *of_command(*deed).command;
    command.pending -= std::exchange(command.open_actions, 0);
  }
}

void Runtime::fail_unfinished() {
  std::vector<Ref<Command>> failed;
  for (const auto& deed : losses_->journal().deeds()) {
    if (deed->complete) continue;
    Command& command = *of_command(*deed).command;
    losses_->journal().fail(*deed);
    if (!failed.empty() && failed.back().get() == &command) continue;
    ++command.pending;
    command.status = kDeviceLost;
    command.started = command.ended = now();
    failed.emplace_back(&command);
  }
  log(LogLevel::error, std::to_string(failed.size()) + " commands need bytes that were lost with a device");
  for (const Ref<Command>& command : failed)
    commands_.part_over(*command);
}

std::vector<Ref<Command>> Runtime::commands_to_redo(const Journal::Deeds& redo) {
  std::map<const Command*, size_t> parts;  // of all in the journal
  for (const auto& deed : losses_->journal().deeds())
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
      commands_.count_up();
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
  losses_->take_new();
  drop_unfinished_actions();
  std::vector<Memory*> roots;
  for (const auto& deed : losses_->journal().deeds())
    roots.insert(roots.end(), of_command(*deed).roots.begin(), of_command(*deed).roots.end());
  std::sort(roots.begin(), roots.end());
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
  for (Memory* root : roots)
    losses_->tell(*root);

  std::optional<Journal::Deeds> redo = losses_->journal().to_redo();
  executor_.resume();
  std::vector<Ref<Command>> commands;
  if (redo) commands = commands_to_redo(*redo);
  if (redo) {
    losses_->journal().remove(*redo);
    executor_.let_go_later(std::make_shared<Journal::Deeds>(std::move(*redo)));
  } else {
    fail_unfinished();
  }
  for (Memory* root : roots) {
    RegionMap& regions = root->storage->regions;
    regions.set_invalid(root->storage->history->all());
    const std::vector<ByteRanges> valid = losses_->journal().valid(*root->storage->history, {});
    for (size_t d = 0; d < valid.size(); ++d)
      regions.add_valid(static_cast<int>(d), valid[d]);
    epoch_.join(*root);
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
    if (executor_.is_halted() || !losses_->any_new()) return;
    lock.unlock();
    if (!capturing()) enter_captured_regime();
    lock.lock();
    executor_.start_threads();
    commands_.count_up();  // recovering may, or may not, capture something
    executor_.halt();
    if (!executor_.is_running()) recover();
    commands_.count_down();
    dead = executor_.take_dead();
  }
  Executor::bury(std::move(dead));
}

void Runtime::forget_history() {
  Journal::Deeds dropped;  // after the lock: they may hold the last references to objects
  const Lock lock(executor_.mutex());
  if (losses_) dropped = losses_->trim(0);
}

}  // namespace mkmd
