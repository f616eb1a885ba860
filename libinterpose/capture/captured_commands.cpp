// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/capture/captured_commands.hpp"

#include <algorithm>

namespace mkmd {

void CapturedCommands::add(Command& command, std::span<Event* const> waits) {
  executor_.mutex().is_held();
  auto order = [&](const Ref<Command>& before) {
    if (!before || before->done) return;
    before->successors.emplace_back(&command);
    ++command.pending;
  };
  Queue* queue = command.queue.get();
  for (Event* event : waits) {
    if (const auto it = of_event_.find(event); it != of_event_.end()) order(it->second);
  }
  OfQueue& unfinished = of_queue_[queue];
  order(unfinished.last);
  if (queue->in_order()) {
    unfinished.last = Ref<Command>(&command);
  } else {
    const auto* const marker = std::get_if<MarkerCommand>(&command.what);
    if (marker != nullptr && waits.empty()) {
      for (const auto& [sequence, before] : unfinished.all)
        order(before);
    }
    if (marker != nullptr && marker->is_barrier) unfinished.last = Ref<Command>(&command);
    unfinished.all.emplace(command.sequence, &command);
  }
  if (command.event) of_event_[command.event.get()] = Ref<Command>(&command);
  count_up();
}

void CapturedCommands::count_down() {
  executor_.mutex().is_held();
  if (count_.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  epoch_.end();
  outcomes_.all_done();
}

void CapturedCommands::action_over(const Action& action) {
  executor_.mutex().is_held();
  Command& command = command_of(action);
  if (action.status < 0) command.status = action.status;
  if (command.window) outcomes_.action_over(*command.window, action);
  command.started =
      command.started == 0 ? action.times.started : std::min(command.started, action.times.started);
  command.ended = std::max(command.ended, action.times.ended);
  part_over(command);
}

void CapturedCommands::part_over(Command& command) {
  executor_.mutex().is_held();
  if (--command.pending > 0) return;
  if (command.status >= 0) command.status = command.error_of_waits();
  command.done = true;
  if (command.eager) executor_.posts().add_eager(-1);
  executor_.graveyard().announce_later(command);
  leave_queue(command);
  if (const auto window = std::exchange(command.window, nullptr)) outcomes_.command_done(*window, command);
  // Pieces may overlap with those of earlier commands; to the program the commands came one after the other.
  command.submitted = std::max(command.submitted, command.queued);
  command.started = std::max({command.submitted, command.started, command.not_before});
  command.ended = std::max(command.started, command.ended);
  if (command.event) complete_event(command);
  for (const Ref<Command>& after : std::exchange(command.successors, {})) {
    after->not_before = std::max(after->not_before, command.ended);
    part_over(*after);
  }
  executor_.posts().wake_waiters();
  count_down();
}

void CapturedCommands::complete_event(Command& command) {
  Event& event = *command.event;
  event.times[1] = command.submitted;
  event.times[2] = command.started;
  event.times[3] = command.ended;
  event.status.store(command.status < 0 ? command.status : CL_COMPLETE, std::memory_order_release);
  of_event_.erase(&event);
}

void CapturedCommands::leave_queue(Command& command) {
  const auto of = of_queue_.find(command.queue.get());
  if (of == of_queue_.end()) return;
  auto& [last, all] = of->second;
  if (last.get() == &command) last = nullptr;
  all.erase(command.sequence);
  if (!last && all.empty()) of_queue_.erase(of);
}

std::vector<Ref<Command>> CapturedCommands::of(Queue& queue) const {
  executor_.mutex().is_held();
  std::vector<Ref<Command>> commands;
  const auto of = of_queue_.find(&queue);
  if (of == of_queue_.end()) return commands;
  if (of->second.last) commands.push_back(of->second.last);
  for (const auto& [sequence, command] : of->second.all)
    commands.push_back(command);
  return commands;
}

bool CapturedCommands::is_last(const Command& command) const {
  executor_.mutex().is_held();
  const auto of = of_queue_.find(command.queue.get());
  return command.queue->in_order() && of != of_queue_.end() && of->second.last.get() == &command;
}

}  // namespace mkmd
