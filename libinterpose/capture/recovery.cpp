// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/capture/recovery.hpp"

#include "common/log.hpp"
#include "libinterpose/commands/careful.hpp"

#include <algorithm>
#include <utility>

namespace mkmd {

namespace {

constexpr cl_int kDeviceLost = CL_OUT_OF_RESOURCES;  // as drivers call it

}  // namespace

// Of each command one action counts as pending still: what ends before it must not end it. Its planning takes
// that over.
void Recovery::drop_unfinished_actions() {
  executor_.mutex().is_held();
  for (const Ref<ActionOwner>& owner : executor_.drop_unfinished()) {
    auto& command = static_cast<Command&>(*owner);
    if (window_.try_emplace(command.sequence, &command).second) {
      command.window = nullptr;  // its time says nothing any more
      command.number = session_.numbers.next_sequence();
    } else {
      --command.pending;
    }
  }
  epoch_.drop_waiting();
}

std::vector<Memory*> Recovery::tell_buffers() {
  std::vector<Memory*> roots;
  for (const auto& deed : losses_.journal().deeds())
    roots.insert(roots.end(), of_command(*deed).roots.begin(), of_command(*deed).roots.end());
  std::sort(roots.begin(), roots.end());
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
  for (Memory* root : roots)
    losses_.tell(*root);
  return roots;
}

// With all of their commands.
void Recovery::fail(const Journal::Deeds& hopeless) {
  std::map<uint64_t, Ref<Command>> failed;  // in the program's order
  for (const auto& deed : hopeless)
    failed.emplace(deed->sequence, of_command(*deed).command);
  for (const auto& deed : losses_.journal().deeds()) {
    if (!deed->complete && failed.count(deed->sequence) > 0) losses_.journal().fail(*deed);
  }
  log(LogLevel::error, std::to_string(failed.size()) + " commands need bytes that were lost with a device");
  for (const auto& [sequence, command] : failed) {
    window_.erase(sequence);
    command->status = kDeviceLost;
    command->started = command->ended = executor_.devices().now();
    commands_.part_over(*command);
  }
}

// Lets go of the mutex: drivers are called.
void Recovery::restore(const std::vector<Memory*>& roots) {
  struct Restored {
    Ref<Memory> root;
    ByteRanges ranges;
    cl_int status = CL_SUCCESS;
  };
  std::vector<Restored> all;
  for (Memory* root : roots) {
    ByteRanges ranges = losses_.journal().to_restore(*root->storage->history);
    if (!ranges.empty()) all.push_back({Ref<Memory>(root), std::move(ranges)});
  }
  if (all.empty()) return;
  {
    executor_.mutex().is_held();
    const Lane& home = executor_.lanes().home();
    const Unlocked unlocked(executor_.mutex());
    for (Restored& one : all)
      one.status = restore_originals(executor_.devices(), *one.root->storage, home, one.root->native.get(),
                                     one.ranges);
  }
  for (const Restored& one : all) {
    History& history = *one.root->storage->history;
    if (one.status == CL_SUCCESS)
      history.held[0].copy(one.ranges, history.before);
    else
      history.held[0].set(one.ranges, Versions::kNone);
  }
  executor_.graveyard().let_go_later(std::make_shared<std::vector<Restored>>(std::move(all)));
}

// In place of one that is complete, and stays so for the program.
Ref<Command> Recovery::renew(const Ref<Command>& command) {
  Ref<Command> again(new Command(command->what, command->queue.get()));
  again->sequence = command->sequence;
  again->queued = command->queued;
  if (KernelCommand* const kernel = again->kernel()) kernel->sample = {.device = -1};
  for (const auto& deed : losses_.journal().deeds()) {
    if (deed->sequence == again->sequence) of_command(*deed).command = again;
  }
  executor_.mutex().is_held();
  executor_.graveyard().let_go_later(std::make_shared<Ref<Command>>(command));
  commands_.count_up();
  return again;
}

// Of one command. Which part of it they are, its deeds say in its own coordinates: never as a part of a part.
void Recovery::add_again(const std::vector<CommandDeed*>& deeds, bool are_all) {
  Ref<Command> command = deeds.front()->command;
  if (command->done)
    command = renew(command);
  else if (window_.count(command->sequence) == 0)
    ++command->pending;
  command->number = session_.numbers.next_sequence();
  if (KernelCommand* const kernel = command->kernel()) {
    kernel->redo.clear();
    for (const CommandDeed* deed : deeds) {
      if (!are_all) kernel->redo.push_back(deed->box);
    }
  }
  if (auto* const read = std::get_if<ReadCommand>(&command->what)) {
    read->redo = {};
    for (const CommandDeed* deed : deeds)
      read->redo.unite(deed->uses.front().needed);
  }
  const uint64_t sequence = command->sequence;
  window_.insert_or_assign(sequence, std::move(command));
}

size_t Recovery::add_again(const Journal::Deeds& redo) {
  std::map<uint64_t, size_t> parts;  // by command, of all in the journal
  for (const auto& deed : losses_.journal().deeds())
    ++parts[deed->sequence];
  std::map<uint64_t, std::vector<CommandDeed*>> by_command;
  for (const auto& deed : redo)
    by_command[deed->sequence].push_back(&of_command(*deed));
  for (const auto& [sequence, deeds] : by_command)
    add_again(deeds, deeds.size() == parts[sequence]);
  losses_.journal().reopen(redo);
  return by_command.size();
}

std::vector<Ref<Command>> Recovery::recover(std::vector<Ref<Command>> window) {
  executor_.mutex().is_held();
  commands_.count_up();  // the captured regime lasts until what is done again is counted
  for (Ref<Command>& command : window) {
    const uint64_t sequence = command->sequence;
    window_.emplace(sequence, std::move(command));
  }
  losses_.take_new();
  drop_unfinished_actions();
  const std::vector<Memory*> roots = tell_buffers();
  Journal& journal = losses_.journal();
  std::optional<Journal::Deeds> redo = journal.to_redo();
  for (; !redo; redo = journal.to_redo())
    fail(journal.hopeless());
  const size_t again = add_again(*redo);
  restore(roots);
  executor_.gate().resume();
  for (Memory* root : roots) {
    journal.begin_anew(*root->storage->history);
    RegionMap& regions = root->storage->regions;
    regions.set_invalid(root->storage->history->all());
    const std::vector<ByteRanges> valid = journal.valid(*root->storage->history);
    for (size_t d = 0; d < valid.size(); ++d)
      regions.add_valid(static_cast<int>(d), valid[d]);
    epoch_.join(*root);
  }
  commands_.count_down();
  if (again > 0) {
    executor_.devices().note_again(again);
    log(LogLevel::info,
        "a device has failed: " + std::to_string(again) + " commands are planned again on the others");
  }
  std::vector<Ref<Command>> commands;
  for (auto& [sequence, command] : std::exchange(window_, {}))
    commands.push_back(std::move(command));
  return commands;
}

}  // namespace mkmd
