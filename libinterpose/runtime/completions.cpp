// SPDX-License-Identifier: Apache-2.0
// What the Runtime does when an action is complete: progress of its command, learned times, trace and
// summary.
#include "libinterpose/runtime/runtime.hpp"

#include "common/host_clock.hpp"

#include <algorithm>

namespace mkmd {

namespace {

void trace_memory(Trace& trace, const Action& action) {
  trace.add({{"memory",
              {{"command", command_of(action).number},
               {"device", action.lane->device},
               {"start", action.started},
               {"end", action.ended}}}});
}

}  // namespace

void Runtime::completed(Action& action) {
  if (journal_ && action.status >= 0) note_done(action);
  if (action.piece.device >= 0 && action.status >= 0) note_piece(action);
  if (action.bytes_moved > 0) note_transfer(action);
  if (session_.trace.on() && action.owner && action.piece.device < 0 && action.bytes_moved == 0)
    trace_memory(session_.trace, action);
  if (action.owner) count_for_command(action);
}

void Runtime::count_for_command(const Action& action) {
  Command& command = command_of(action);
  --command.open_actions;
  if (action.status < 0) command.status = action.status;
  if (command.trial && action.status >= 0 && action.lane != executor_.repair()) {
    command.trial->ended = std::max(command.trial->ended, action.ended);
    count_at_home(action);
  }
  command.started = command.started == 0 ? action.started : std::min(command.started, action.started);
  command.ended = std::max(command.ended, action.ended);
  finish_part(command);
}

// The error a wait list gives a command (OpenCL 3.0, 5.11). All its events have ended. A driver answers this
// question without waiting for anything, so the mutex may be held.
cl_int Runtime::error_of_waits(const Command& command) {
  const auto has_failed = [](const Ref<Event>& event) {
    return (event->native ? vendor::execution_status(event->native.get())
                          : event->status.load(std::memory_order_acquire)) < 0;
  };
  return std::any_of(command.waits.begin(), command.waits.end(), has_failed)
             ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
             : CL_SUCCESS;
}

void Runtime::finish_part(Command& command) {
  if (--command.pending > 0) return;
  if (command.status >= 0) command.status = error_of_waits(command);
  command.done = true;
  if (command.eager) executor_.add_eager(-1);
  executor_.announce_later(command);
  leave_queue(command);
  if (const auto trial = std::exchange(command.trial, nullptr); trial && --trial->unfinished == 0)
    note_trial(*trial);
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

void Runtime::note_piece(const Action& action) {
  const double seconds = static_cast<double>(action.ended - action.started) * 1e-9;
  session_.summary.add_piece(action.piece.device, action.piece.groups, seconds);
  if (session_.trace.on()) {
    session_.trace.add({{"piece",
                         {{"command", command_of(action).number},
                          {"device", action.piece.device},
                          {"lo", action.piece.lo},
                          {"hi", action.piece.hi},
                          {"start", action.started},
                          {"end", action.ended}}}});
  }
  const KernelLaunch& launch = command_of(action).launch;
  if (launch.kernel->info == nullptr) return;
  if (action.lane == executor_.repair()) return;  // that was not how long such pieces take
  note_code(action);
  const int domain = action.lane->domain;
  const int busy = executor_.busy_lanes(domain, action.lane);
  times_.learn(kernel_model(*launch.kernel), command_of(action).cost, action.piece.device, action.piece.share,
               seconds_alone(seconds, action.piece.bytes, std::max(action.piece.sharing, busy),
                             session_.shared_memory(domain)));
}

// Kernels that the devices share would have taken at home what such launches have taken there, or else what
// they took here, all devices together; where home is another device, the plan has said how long, and so it
// has of fills and copies that may be made elsewhere.
void Runtime::count_at_home(const Action& action) {
  const Configuration& p = configuration_;
  const Command::Kind kind = command_of(action).kind;
  if (p.domain_count > 1 && (kind == Command::Kind::fill || kind == Command::Kind::copy)) return;
  const bool is_kernel = action.piece.device >= 0;
  if (is_kernel && !p.home_is_sum()) return;
  Trial& trial = *command_of(action).trial;
  double seconds = static_cast<double>(action.ended - action.started) * 1e-9;
  bool measured = p.home_is_sum();
  if (is_kernel && action.piece.device != p.home_index()) {
    seconds /= static_cast<double>(p.devices.size());
    const KernelModel& model = kernel_model(*command_of(action).launch.kernel);
    const auto known = times_.measured(model, command_of(action).cost, p.home_index());
    // The devices' threads share a launch at least as well as pieces do: what took longer was disturbed.
    if (known) seconds = std::min(seconds, *known * action.piece.share);
    measured = known.has_value();
  }
  trial.at_home += seconds;
  if (measured) trial.measured += seconds;
}

void Runtime::note_trial(const Trial& trial) {
  if (trial.ended == 0) return;
  const cl_ulong ended = trial.ended - clock_offset_;  // which may have been a while ago
  cl_ulong began = std::max(trial.began, last_window_end_);
  if (trial.entry && trial.entry->complete()) began = std::max(began, trial.entry->ended - clock_offset_);
  last_window_end_ = std::max(last_window_end_, ended);
  if (ended <= began) return;
  const double taken = static_cast<double>(ended - began) * 1e-9;
  if (!trial.kernels.empty()) seems_to_lose_ = Experience::seems_longer(taken, trial.at_home);
  times_.learn(trial, taken, host_seconds());
}

void Runtime::note_transfer(const Action& action) {
  session_.summary.add_bytes_moved(action.bytes_moved);
  if (session_.trace.on()) {
    session_.trace.add({{"transfer",
                         {{"command", action.consumer},
                          {"buffer", "b" + std::to_string(action.buffer)},
                          {"bytes", action.bytes_moved},
                          {"from", action.from_domain},
                          {"to", action.owner ? -1 : action.lane->domain},  // -1: the program's memory
                          {"start", action.started},
                          {"end", action.ended}}}});
  }
}

}  // namespace mkmd
