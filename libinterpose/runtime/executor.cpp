// SPDX-License-Identifier: Apache-2.0
// The part of Runtime that carries actions out, and keeps what comes of them. Asynchronous lanes are fed by
// whoever calls pump() (one at a time, the others leave it their work), so that a flush costs no thread
// switch.
#include "libinterpose/runtime/runtime.hpp"

#include "common/log.hpp"
#include "libinterpose/process.hpp"
#include "libinterpose/runtime/careful.hpp"
#include "libinterpose/runtime/host_clock.hpp"
#include "libinterpose/runtime/summary.hpp"
#include "libinterpose/runtime/trace.hpp"
#include "libinterpose/runtime/transfer_order.hpp"
#include "libinterpose/runtime/trouble.hpp"

#include <algorithm>
#include <iterator>

namespace mkmd {

namespace {

constexpr int kPartsDeep = 2;  // parts of long pieces a driver is given at a time: refilling takes a moment

// The runtime an action belongs to is found through this pair: a vendor callback has one pointer. The runtime
// may be gone when the callback of an action comes whose end somebody else has posted.
struct Posting {
  std::function<void(Action*, cl_int)> post;
  Ref<Action> action;
};

void CL_CALLBACK on_native_complete(cl_event, cl_int status, void* user_data) {
  const std::unique_ptr<Posting> posting(static_cast<Posting*>(user_data));
  if (!posting->action->heard.exchange(true)) posting->post(posting->action.get(), status);
}

}  // namespace

void Runtime::push(Ref<Action> action) {
  Lane& lane = *action->lane;
  if (action->blockers > 0) {
    if (lane.transfers()) lane.to_come.push_back(action.get());
    return;
  }
  std::erase(lane.to_come, action.get());
  action->state = Action::State::ready;
  lanes_have_more_ |= lane.kind == Lane::Kind::threaded;
  lane.ready.insert(std::move(action));
}

void Runtime::wake_lanes() {
  if (!std::exchange(lanes_have_more_, false)) return;
  lanes_cv_.notify_all();
  if (process_exiting.load()) wake_waiters();  // the lanes' threads are parked: they do their work
}

void Runtime::unblock(Action& action) {
  if (--action.blockers == 0 && action.state == Action::State::waiting) push(Ref<Action>(&action));
}

// Moves a part that another lane has not started to an idle one, if it is finished earlier there.
bool Runtime::take_part() {
  for (Lane* idle : compute_) {
    if (idle->kind != Lane::Kind::asynchronous || !idle->under_way.empty() || !idle->ready.empty()) continue;
    if (idle == home_ && process().home_is_whole()) continue;  // it excludes the others
    for (Lane* busy : compute_) {
      if (busy->ready.empty() || busy->parts_in_flight < kPartsDeep) continue;
      const Ref<Action> part = *busy->ready.begin();
      if (part->order >= emitted_ || !part->moved || busy->native_context != idle->native_context) continue;
      // The planner chose among devices of one code generator, if it had to (Rule 11): so must we.
      if (process().settings.exact && times_.rates(busy->device).kind != times_.rates(idle->device).kind)
        continue;
      // `busy` still has half of what it started before it, at least, and then the part itself.
      const double there =
          times_.seconds(kernel_model(*part->command->launch.kernel), part->command->cost, idle->device) *
          part->piece.share;
      if (there >= 2 * part->piece.seconds) continue;
      busy->ready.erase(busy->ready.begin());
      part->lane = idle;
      part->piece.device = idle->device;
      part->work = part->moved(*idle);
      idle->ready.insert(part);
      return true;
    }
  }
  return false;
}

void Runtime::pump(std::unique_lock<std::mutex>& lock) {
  wake_lanes();
  if (pumping_) return;  // the thread that pumps sees what we pushed before it stops
  pumping_ = true;
  std::vector<cl_event> waits;
  std::vector<cl_event> befores;
  std::vector<Ref<Action>> used;  // whose events the driver is called with
  for (;;) {
    wake_lanes();
    Lane* next = nullptr;
    for (Lane* lane : compute_) {
      if (!failures_.empty()) break;
      if (lane->kind != Lane::Kind::asynchronous || lane->ready.empty()) continue;
      const Action& first = **lane->ready.begin();
      if (first.order >= emitted_) continue;
      if (first.is_part() && lane->parts_in_flight >= kPartsDeep) continue;
      if (next == nullptr || first.order < (*next->ready.begin())->order) next = lane;
    }
    if (next == nullptr && failures_.empty() && take_part()) continue;
    if (next == nullptr && repair_ && may_start(*repair_, lanes_, emitted_)) {
      run_threaded(*repair_, lock);
      continue;
    }
    if (next == nullptr) {
      bool flushed = false;
      for (Lane* lane : compute_) {
        if (!std::exchange(lane->to_flush, false)) continue;
        lock.unlock();
        const cl_int status = vendor::table(lane->queue.get()).clFlush(lane->queue.get());
        if (status != CL_SUCCESS) {
          note_trouble(*lane, "flushing its queue", status);
          finish_carefully(lane->queue.get());
        }
        lock.lock();
        flushed = true;
      }
      if (flushed) continue;  // more may have become ready meanwhile
      break;
    }
    const Ref<Action> action = *next->ready.begin();
    next->ready.erase(next->ready.begin());
    next->under_way.push_back(action);
    if (action->is_part()) ++next->parts_in_flight;
    action->state = Action::State::submitting;
    cl_int refused = refusal(*action);
    waits.clear();
    befores.clear();
    used.assign(1, action);
    for (const Ref<Action>& before : action->chained) {
      action->inherit_from(*before);
      if (before->complete() || !before->native) continue;
      befores.push_back(before->native.get());
      if (before->lane != next) waits.push_back(befores.back());  // an in-order queue orders its own actions
      used.push_back(before);
    }
    for (const Ref<Action>& one : used)
      ++one->calls;
    lock.unlock();
    action->started = host_nanoseconds() + clock_offset_;
    // What is to wait for a command that has failed already, PoCL never starts, and others may run.
    if (std::any_of(befores.begin(), befores.end(),
                    [](cl_event e) { return vendor::execution_status(e) < 0; }))
      refused = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    Action::Outcome outcome = refused < 0 ? Action::Outcome{refused, {}} : action->perform(waits);
    action->begun = outcome.begun;
    // Before the callback is set: it may come at once, and whoever takes its post reads the event.
    action->native = std::move(outcome.event);
    if (outcome.status == CL_SUCCESS && action->native) {
      next->unposted.fetch_add(1);
      if (action->command) action->command->queue->unposted.fetch_add(1);
      auto posting = std::make_unique<Posting>();
      posting->post = [this](Action* a, cl_int status) { post(a, status); };
      posting->action = action;
      const cl_event event = action->native.get();
      if (vendor::table(event).clSetEventCallback(event, CL_COMPLETE, on_native_complete, posting.get()) ==
          CL_SUCCESS) {
        (void)posting.release();  // the callback owns it now
      } else {
        note_trouble(*next, "setting an event's callback", CL_OUT_OF_RESOURCES);
        const auto end = await_event(event, next->queue.get());
        if (!end) action->redo = nullptr;  // it may still be under way
        action->heard.store(true);
        post(action.get(), end.value_or(CL_OUT_OF_RESOURCES));
      }
    }
    lock.lock();
    next->to_flush = true;
    mark_submitted(*action, outcome.status);
    for (const Ref<Action>& one : std::exchange(used, {})) {
      if (--one->calls == 0 && one->complete()) graveyard_.held.push_back(one->let_go());
    }
  }
  pumping_ = false;
}

// What keeps an action from being started: an error after which nothing is right any more, or bytes that its
// device would not take.
cl_int Runtime::refusal(const Action& action) const {
  if (failed() < 0) return failed();
  if (action.lane->domain == 0) return CL_SUCCESS;
  const bool elsewhere = std::any_of(action.uses.begin(), action.uses.end(), [&](const BufferUse& use) {
    return use.root->storage->stand_in.holds(action.lane->domain, use.needed);
  });
  return elsewhere ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

void Runtime::mark_submitted(Action& action, cl_int status) {
  // Whoever comes after it has no event to give to the driver: it waits for the end.
  if (status != CL_SUCCESS || !action.native) return mark_over(action, status);
  // Its callback may have been quicker.
  if (action.state == Action::State::submitting) action.state = Action::State::submitted;
  for (const Ref<Action>& after : std::exchange(action.on_submit, {}))
    unblock(*after);
}

// In the end the action holds nothing any more, however long it is kept itself.
void Runtime::mark_complete(Action& action, cl_int status) {
  if (action.complete()) return;
  note_complete(action, status);
  if (action.calls == 0) graveyard_.held.push_back(action.let_go());
}

void Runtime::note_complete(Action& action, cl_int status) {
  action.state = Action::State::complete;
  action.status = status;
  action.chained.clear();
  if (journal_ && status >= 0) note_done(action);
  for (const Ref<Action>& after : std::exchange(action.on_submit, {}))
    unblock(*after);
  for (const Ref<Action>& after : std::exchange(action.on_complete, {})) {
    after->ready_at = std::max(after->ready_at, action.ended);
    after->inherit_from(action);
    unblock(*after);
  }
  for (const BufferUse& use : action.uses) {
    if (action.lane->domain != 0) use.root->storage->stand_in.drop(action.lane->domain, use.writes);
  }
  if (action.piece.device >= 0 && status >= 0) note_piece(action);
  if (action.bytes_moved > 0) note_transfer(action);
  if (tracing() && action.command != nullptr && action.piece.device < 0 && action.bytes_moved == 0)
    trace_memory(action);
  // What came after it, and is over, too, has waited for this.
  for (const Ref<Action>& after : std::exchange(action.followers, {})) {
    if (after->over) settle(*after);
  }
  if (action.command == nullptr) return;
  Command& command = *action.command;
  --command.open_actions;
  if (status < 0) command.status = status;
  if (command.trial && status >= 0 && action.lane != repair_.get()) {
    command.trial->ended = std::max(command.trial->ended, action.ended);
    count_at_home(action);
  }
  command.started = command.started == 0 ? action.started : std::min(command.started, action.started);
  command.ended = std::max(command.ended, action.ended);
  finish_part(command);
}

void Runtime::finish_part(Command& command) {
  if (--command.pending > 0) return;
  command.done = true;
  if (command.eager) eager_.fetch_sub(1);
  graveyard_.commands.emplace_back(&command);
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
  wake_waiters();
  if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) leave_captured_regime();
}

void Runtime::Dead::take(Dead other) {
  std::move(other.commands.begin(), other.commands.end(), std::back_inserter(commands));
  std::move(other.held.begin(), other.held.end(), std::back_inserter(held));
}

void Runtime::bury(Dead dead) {
  for (const Ref<Command>& command : dead.commands) {
    if (command->event) event_status_changed(*command->event);
  }
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
  add_piece(action.piece.device, action.piece.groups, seconds);
  if (tracing()) {
    trace({{"piece",
            {{"command", action.command->number},
             {"device", action.piece.device},
             {"lo", action.piece.lo},
             {"hi", action.piece.hi},
             {"start", action.started},
             {"end", action.ended}}}});
  }
  const KernelLaunch& launch = action.command->launch;
  if (launch.kernel->info == nullptr) return;
  if (action.lane == repair_.get()) return;  // that was not how long such pieces take
  note_code(action);
  const int domain = action.lane->domain;
  const auto busy = std::count_if(compute_.begin(), compute_.end(), [&](const Lane* lane) {
    return lane->domain == domain && (lane == action.lane || !lane->under_way.empty());
  });
  times_.learn(kernel_model(*launch.kernel), action.command->cost, action.piece.device, action.piece.share,
               seconds_alone(seconds, action.piece.bytes,
                             std::max(action.piece.sharing, static_cast<int>(busy)), shared_memory(domain)));
}

// Kernels that the devices share would have taken at home what such launches have taken there, or else what
// they took here, all devices together; where home is another device, the plan has said how long, and so it
// has of fills and copies that may be made elsewhere.
void Runtime::count_at_home(const Action& action) {
  const Process& p = process();
  const Command::Kind kind = action.command->kind;
  if (p.domain_count > 1 && (kind == Command::Kind::fill || kind == Command::Kind::copy)) return;
  const bool is_kernel = action.piece.device >= 0;
  if (is_kernel && !p.home_is_sum()) return;
  Trial& trial = *action.command->trial;
  double seconds = static_cast<double>(action.ended - action.started) * 1e-9;
  bool measured = p.home_is_sum();
  if (is_kernel && action.piece.device != p.home_index()) {
    seconds /= static_cast<double>(p.devices.size());
    const KernelModel& model = kernel_model(*action.command->launch.kernel);
    const auto known = times_.measured(model, action.command->cost, p.home_index());
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
  add_bytes_moved(action.bytes_moved);
  if (tracing()) {
    trace({{"transfer",
            {{"command", action.consumer},
             {"buffer", "b" + std::to_string(action.buffer)},
             {"bytes", action.bytes_moved},
             {"from", action.from_domain},
             {"to", action.command ? -1 : action.lane->domain},  // -1: the program's memory
             {"start", action.started},
             {"end", action.ended}}}});
  }
}

void Runtime::trace_memory(const Action& action) {
  trace({{"memory",
          {{"command", action.command->number},
           {"device", action.lane->device},
           {"start", action.started},
           {"end", action.ended}}}});
}

}  // namespace mkmd
