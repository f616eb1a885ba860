// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/capture/recovery.hpp"

#include "common/log.hpp"

#include <algorithm>

namespace mkmd {

namespace {

constexpr cl_int kDeviceLost = CL_OUT_OF_RESOURCES;  // as drivers call it

}  // namespace

void Recovery::drop_unfinished_actions() {
  executor_.mutex().is_held();
  epoch_.drop_waiting();
  executor_.drop_waiting();
  for (const auto& deed : losses_.journal().deeds()) {
    if (deed->complete) continue;
    Command& command = *of_command(*deed).command;
    command.pending -= std::exchange(command.open_actions, 0);
  }
}

void Recovery::fail_unfinished() {
  std::vector<Ref<Command>> failed;
  for (const auto& deed : losses_.journal().deeds()) {
    if (deed->complete) continue;
    Command& command = *of_command(*deed).command;
    losses_.journal().fail(*deed);
    if (!failed.empty() && failed.back().get() == &command) continue;
    ++command.pending;
    command.status = kDeviceLost;
    command.started = command.ended = executor_.devices().now();
    failed.emplace_back(&command);
  }
  log(LogLevel::error, std::to_string(failed.size()) + " commands need bytes that were lost with a device");
  for (const Ref<Command>& command : failed)
    commands_.part_over(*command);
}

std::vector<Ref<Command>> Recovery::commands_to_redo(const Journal::Deeds& redo) {
  std::map<const Command*, size_t> parts;  // of all in the journal
  for (const auto& deed : losses_.journal().deeds())
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

std::vector<Ref<Command>> Recovery::recover() {
  executor_.mutex().is_held();
  losses_.take_new();
  drop_unfinished_actions();
  Journal& journal = losses_.journal();
  std::vector<Memory*> roots;
  for (const auto& deed : journal.deeds())
    roots.insert(roots.end(), of_command(*deed).roots.begin(), of_command(*deed).roots.end());
  std::sort(roots.begin(), roots.end());
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
  for (Memory* root : roots)
    losses_.tell(*root);

  std::optional<Journal::Deeds> redo = journal.to_redo();
  executor_.gate().resume();
  std::vector<Ref<Command>> commands;
  if (redo) {
    commands = commands_to_redo(*redo);
    journal.remove(*redo);
    executor_.graveyard().let_go_later(std::make_shared<Journal::Deeds>(std::move(*redo)));
  } else {
    fail_unfinished();
  }
  for (Memory* root : roots) {
    RegionMap& regions = root->storage->regions;
    regions.set_invalid(root->storage->history->all());
    const std::vector<ByteRanges> valid = journal.valid(*root->storage->history, {});
    for (size_t d = 0; d < valid.size(); ++d)
      regions.add_valid(static_cast<int>(d), valid[d]);
    epoch_.join(*root);
  }
  if (!commands.empty()) {
    executor_.devices().note_again(commands.size());
    log(LogLevel::info, "a device has failed: " + std::to_string(commands.size()) +
                            " commands are planned again on the others");
  }
  return commands;
}

}  // namespace mkmd
