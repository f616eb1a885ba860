// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/capture/recovery.hpp"

#include "common/log.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace mkmd {

namespace {

constexpr cl_int kDeviceLost = CL_OUT_OF_RESOURCES;  // as drivers call it

}  // namespace

void Recovery::drop_unfinished_actions() {
  executor_.mutex().is_held();
  for (const Ref<ActionOwner>& owner : executor_.drop_unfinished()) {
    auto& command = static_cast<Command&>(*owner);
    // One is kept: what ends before it must not end it.
    if (!held_.insert(&command).second) {
      --command.pending;
      continue;
    }
    command.window = nullptr;  // its time says nothing any more
    if (std::holds_alternative<MarkerCommand>(command.what)) markers_.emplace_back(&command);
  }
  epoch_.drop_waiting();
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
    command->status = kDeviceLost;
    command->started = command->ended = executor_.devices().now();
    commands_.part_over(*command);
  }
}

// In the program's order.
void Recovery::add_markers(std::vector<Ref<Command>>& commands) {
  for (Ref<Command>& marker : std::exchange(markers_, {})) {
    marker->number = session_.numbers.next_sequence();
    const auto after = std::upper_bound(commands.begin(), commands.end(), marker->sequence,
                                        [](uint64_t s, const auto& c) { return s < c->sequence; });
    commands.insert(after, std::move(marker));
  }
}

std::vector<Ref<Command>> Recovery::commands_to_redo(const Journal::Deeds& redo) {
  std::map<uint64_t, size_t> parts;  // by command, of all in the journal: some may have been done again
  for (const auto& deed : losses_.journal().deeds())
    ++parts[deed->sequence];
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
    } else if (held_.count(old.get()) == 0) {
      ++command->pending;
    }
    command->number = session_.numbers.next_sequence();
    if (KernelCommand* const kernel = command->kernel()) {
      if (old->done) kernel->sample = {.device = -1};
      kernel->redo.clear();
      for (const CommandDeed* deed : deeds) {
        if (deeds.size() < parts[sequence]) kernel->redo.push_back(deed->box);
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
  for (; !redo; redo = journal.to_redo())
    fail(journal.hopeless());
  executor_.gate().resume();
  std::vector<Ref<Command>> commands = commands_to_redo(*redo);
  add_markers(commands);
  journal.remove(*redo);
  executor_.graveyard().let_go_later(std::make_shared<Journal::Deeds>(std::move(*redo)));
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
