// SPDX-License-Identifier: Apache-2.0
// The part of Runtime that hears of complete actions: progress of their commands.
#include "libinterpose/capture/runtime.hpp"

#include <algorithm>

namespace mkmd {

void Runtime::completed(Action& action) {
  executor_.mutex().is_held();
  if (losses_ && action.status >= 0) losses_->note_done(action);
  outcomes_.action_over(action);
  if (action.owner) count_for_command(action);
}

void Runtime::count_for_command(const Action& action) {
  Command& command = command_of(action);
  --command.open_actions;
  if (action.status < 0) command.status = action.status;
  if (command.window) outcomes_.action_over(*command.window, action);
  command.started = command.started == 0 ? action.started : std::min(command.started, action.started);
  command.ended = std::max(command.ended, action.ended);
  finish_part(command);
}

void Runtime::finish_part(Command& command) {
  if (--command.pending > 0) return;
  if (command.status >= 0) command.status = command.error_of_waits();
  command.done = true;
  if (command.eager) executor_.add_eager(-1);
  executor_.announce_later(command);
  leave_queue(command);
  if (const auto window = std::exchange(command.window, nullptr)) outcomes_.command_done(*window, command);
  // Pieces may overlap with those of earlier commands; to the program the commands came one after the other.
  command.submitted = std::max(command.submitted, command.queued);
  command.started = std::max({command.submitted, command.started, command.not_before});
  command.ended = std::max(command.started, command.ended);
  if (command.event) complete_event(command);
  for (const Ref<Command>& after : std::exchange(command.successors, {})) {
    after->not_before = std::max(after->not_before, command.ended);
    finish_part(*after);
  }
  executor_.wake_waiters();
  if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) leave_captured_regime();
}

void Runtime::complete_event(Command& command) {
  Event& event = *command.event;
  event.times[1] = command.submitted;
  event.times[2] = command.started;
  event.times[3] = command.ended;
  event.status.store(command.status < 0 ? command.status : CL_COMPLETE, std::memory_order_release);
  command_of_event_.erase(&event);
}

}  // namespace mkmd
