// SPDX-License-Identifier: Apache-2.0
// The part of Runtime that carries actions out. Asynchronous lanes are fed by whoever calls pump() (one at a
// time, the others leave it their work), so that a flush costs no thread switch. Vendor callbacks only post;
// whoever waits, or else the conductor thread, takes the posts, marks actions complete and pumps again.
#include "libinterpose/runtime/runtime.hpp"

#include "common/log.hpp"
#include "libinterpose/emulation/machine.hpp"
#include "libinterpose/process.hpp"
#include "libinterpose/runtime/host_clock.hpp"
#include "libinterpose/runtime/trace.hpp"

#include <algorithm>
#include <csignal>
#include <pthread.h>

namespace mkmd {

namespace {

constexpr int kPartsDeep = 2;  // parts of long pieces a driver is given at a time: refilling takes a moment

// The runtime an action belongs to is found through this pair: a vendor callback has one pointer.
struct Posting {
  std::function<void(Action*, cl_int)> post;
  Ref<Action> action;
};

void CL_CALLBACK on_native_complete(cl_event, cl_int status, void* user_data) {
  const std::unique_ptr<Posting> posting(static_cast<Posting*>(user_data));
  posting->post(posting->action.get(), status);
}

void read_native_times(Action& action, int64_t host_to_home) {
  cl_ulong start = 0;
  cl_ulong end = 0;
  if (action.native) {
    const auto& table = vendor::table(action.native.get());
    table.clGetEventProfilingInfo(action.native.get(), CL_PROFILING_COMMAND_START, sizeof start, &start,
                                  nullptr);
    table.clGetEventProfilingInfo(action.native.get(), CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr);
  }
  const cl_ulong now = host_nanoseconds() + host_to_home;
  if (end == 0 || start == 0 || end < start) {
    action.ended = now;
    action.started = action.started == 0 ? now : action.started;
    return;
  }
  // Another device's clock has another zero; where that is not known, only durations are right.
  const int64_t offset = action.lane->clock_offset;
  const cl_ulong shift = offset != 0 ? host_to_home - offset : action.lane->domain == 0 ? 0 : now - end;
  action.started = start + shift;
  action.ended = end + shift;
}

// Emulated transfers out of one memory take its port in the order of the plan, whichever lane they are on: a
// lane waits until the port is free, and leaves it to another lane's next transfer if that comes earlier.
bool may_start(const Lane& lane, const std::vector<std::unique_ptr<Lane>>& lanes) {
  if (lane.ready.empty()) return false;
  const Action& mine = *lane.ready.top();
  if (lane.device >= 0 || !mine.demand || process_exiting.load()) return true;
  return std::none_of(lanes.begin(), lanes.end(), [&](const std::unique_ptr<Lane>& other) {
    if (other->device >= 0 || other.get() == &lane) return false;
    if (other->sending_from == mine.from_domain) return true;
    if (other->ready.empty()) return false;
    const Action& theirs = *other->ready.top();
    return theirs.demand && theirs.from_domain == mine.from_domain && theirs.order < mine.order;
  });
}

}  // namespace

void Runtime::push(Ref<Action> action) {
  if (action->blockers == 0) {
    action->state = Action::State::ready;
    Lane& lane = *action->lane;
    if (lane.kind == Lane::Kind::threaded) lanes_cv_.notify_all();
    lane.ready.push(std::move(action));
  }
}

void Runtime::unblock(Action& action) {
  if (--action.blockers == 0 && action.state == Action::State::waiting) push(Ref<Action>(&action));
}

// Moves a part that another lane has not started to an idle one, if it is finished earlier there.
bool Runtime::take_part() {
  for (Lane* idle : compute_) {
    if (idle->kind != Lane::Kind::asynchronous || idle->in_flight > 0 || !idle->ready.empty()) continue;
    if (idle == home_ && process().home_is_whole()) continue;  // it excludes the others
    for (Lane* busy : compute_) {
      if (busy->ready.empty() || busy->parts_in_flight < kPartsDeep) continue;
      const Ref<Action> part = busy->ready.top();
      if (!part->moved || busy->native_context != idle->native_context) continue;
      // The planner chose among devices of one code generator, if it had to (Rule 11): so must we.
      if (process().settings.exact && times_.rates(busy->device).kind != times_.rates(idle->device).kind)
        continue;
      // `busy` still has half of what it started before it, at least, and then the part itself.
      const double there =
          times_.seconds(kernel_model(*part->command->launch.kernel), part->command->cost, idle->device) *
          part->piece.share;
      if (there >= 2 * part->piece.seconds) continue;
      busy->ready.pop();
      part->lane = idle;
      part->piece.device = idle->device;
      part->work = part->moved(*idle);
      idle->ready.push(part);
      return true;
    }
  }
  return false;
}

void Runtime::pump(std::unique_lock<std::mutex>& lock) {
  if (pumping_) return;  // the thread that pumps sees what we pushed before it stops
  pumping_ = true;
  std::vector<cl_event> waits;
  for (;;) {
    Lane* next = nullptr;
    for (Lane* lane : compute_) {
      if (lane->kind != Lane::Kind::asynchronous || lane->ready.empty()) continue;
      if (lane->ready.top()->is_part() && lane->parts_in_flight >= kPartsDeep) continue;
      if (next == nullptr || lane->ready.top()->order < next->ready.top()->order) next = lane;
    }
    if (next == nullptr && take_part()) continue;
    if (next == nullptr) {
      bool flushed = false;
      for (Lane* lane : compute_) {
        if (!std::exchange(lane->to_flush, false)) continue;
        lock.unlock();
        vendor::table(lane->queue.get()).clFlush(lane->queue.get());
        lock.lock();
        flushed = true;
      }
      if (flushed) continue;  // more may have become ready meanwhile
      break;
    }
    const Ref<Action> action = next->ready.top();
    next->ready.pop();
    ++next->in_flight;
    if (action->is_part()) ++next->parts_in_flight;
    waits.clear();
    for (const Ref<Action>& before : action->chained) {
      // An in-order queue orders its own actions.
      if (!before->complete() && before->lane != next && before->native)
        waits.push_back(before->native.get());
    }
    lock.unlock();
    action->started = host_nanoseconds() + clock_offset_;
    Action::Outcome outcome = action->work(waits);
    // Before the callback is set: it may come at once, and whoever takes its post reads the event.
    action->native = std::move(outcome.event);
    if (outcome.status == CL_SUCCESS && action->native) {
      next->unposted.fetch_add(1);
      if (action->command != nullptr) action->command->queue->unposted.fetch_add(1);
      auto posting = std::make_unique<Posting>();
      posting->post = [this](Action* a, cl_int status) { post(a, status); };
      posting->action = action;
      const cl_event event = action->native.get();
      if (vendor::table(event).clSetEventCallback(event, CL_COMPLETE, on_native_complete, posting.get()) ==
          CL_SUCCESS) {
        (void)posting.release();  // the callback owns it now
      } else {
        vendor::table(event).clWaitForEvents(1, &event);
        post(action.get(), CL_COMPLETE);
      }
    }
    lock.lock();
    next->to_flush = true;
    mark_submitted(*action, outcome.status);
  }
  pumping_ = false;
}

void Runtime::mark_submitted(Action& action, cl_int status) {
  action.work = nullptr;
  action.moved = nullptr;
  action.chained.clear();
  if (!action.complete()) action.state = Action::State::submitted;  // its callback may have been quicker
  for (const Ref<Action>& after : std::exchange(action.on_submit, {}))
    unblock(*after);
  if (status != CL_SUCCESS || !action.native) mark_complete(action, status);
}

void Runtime::mark_complete(Action& action, cl_int status) {
  if (action.complete()) return;
  action.state = Action::State::complete;
  if (action.lane->kind == Lane::Kind::asynchronous) {
    --action.lane->in_flight;
    if (action.is_part()) --action.lane->parts_in_flight;
  }
  action.status = status;
  if (journal_ && status >= 0) note_done(action);
  for (const Ref<Action>& after : std::exchange(action.on_submit, {}))
    unblock(*after);
  for (const Ref<Action>& after : std::exchange(action.on_complete, {})) {
    after->ready_at = std::max(after->ready_at, action.ended);
    after->inherited = std::min(after->inherited, status);
    unblock(*after);
  }
  if (action.piece.device >= 0 && status >= 0) note_piece(action);
  if (action.bytes_moved > 0) note_transfer(action);
  if (tracing() && action.command != nullptr && action.piece.device < 0 && action.bytes_moved == 0)
    trace_memory(action);
  if (action.command == nullptr) {
    if (status < 0)
      log(LogLevel::error, "a transfer between devices failed (" + std::to_string(status) + ")");
    return;
  }
  Command& command = *action.command;
  --command.open_actions;
  if (status < 0) command.status = status;
  command.started = command.started == 0 ? action.started : std::min(command.started, action.started);
  command.ended = std::max(command.ended, action.ended);
  finish_part(command);
}

void Runtime::finish_part(Command& command) {
  if (--command.pending > 0) return;
  command.done = true;
  if (command.eager) eager_.fetch_sub(1);
  const Ref<Command> keep(&command);
  graveyard_.push_back(keep);
  // Pieces may overlap with those of earlier commands; to the program the commands came one after the other.
  command.submitted = std::max(command.submitted, command.queued);
  command.started = std::max({command.submitted, command.started, command.not_before});
  command.ended = std::max(command.started, command.ended);
  if (command.event) complete_event(command);
  for (const Ref<Command>& after : std::exchange(command.successors, {})) {
    after->not_before = std::max(after->not_before, command.ended);
    finish_part(*after);
  }
  {
    std::lock_guard posts(posts_.mutex);
    ++posts_.generation;
    if (posts_.waiting > 0) posts_.waiters.notify_all();
  }
  if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) leave_captured_regime();
}

void Runtime::bury(std::vector<Ref<Command>> dead) {
  for (const Ref<Command>& command : dead) {
    if (command->event) event_status_changed(*command->event);
  }
}

// Waking a thread takes a core from the devices, so a completion that sets nothing off stays in the list
// until one comes that does. The last of a lane and the last of a queue always do.
bool Runtime::can_wait(const Action& action, cl_int status) {
  const bool last_of_lane = action.lane->unposted.fetch_sub(1) == 1;
  const bool last_of_queue = action.command == nullptr || action.command->queue->unposted.fetch_sub(1) == 1;
  return status >= 0 && !last_of_lane && !last_of_queue && !action.is_part() && !action.awaited.load() &&
         eager_.load() == 0;
}

void Runtime::post(Action* action, cl_int status) {
  constexpr size_t kMany = 64;
  std::lock_guard lock(posts_.mutex);
  posts_.list.emplace_back(Ref<Action>(action), status);
  if (can_wait(*action, status) && posts_.list.size() < kMany) return;
  if (posts_.waiting > 0) {
    posts_.waiters.notify_one();
  } else {
    posts_.conductor.notify_one();
  }
}

bool Runtime::take_posts() {
  std::vector<std::pair<Ref<Action>, cl_int>> list;
  {
    std::lock_guard lock(posts_.mutex);
    list.swap(posts_.list);
  }
  if (list.empty()) return false;
  for (auto& [action, status] : list)
    read_native_times(*action, clock_offset_);
  std::vector<Ref<Command>> dead;  // released after the lock, below: a command may hold the last of a context
  {
    std::unique_lock lock(mutex_);
    for (auto& [action, status] : list) {
      mark_complete(*action, status < 0 ? status : CL_SUCCESS);
    }
    pump(lock);
    dead.swap(graveyard_);
  }
  bury(std::move(dead));
  return true;
}

void Runtime::wait_until(const std::function<bool()>& done) {
  for (;;) {
    uint64_t seen;
    {
      std::lock_guard lock(posts_.mutex);
      seen = posts_.generation;
    }
    take_posts();
    std::vector<Ref<Command>> dead;
    bool over = false;
    {
      std::unique_lock lock(mutex_);
      if (process_exiting.load()) {  // our threads are parked: do their work here
        for (const auto& lane : lanes_) {
          if (lane->kind == Lane::Kind::threaded) run_threaded(*lane, lock);
        }
        pump(lock);
      }
      dead.swap(graveyard_);
      over = done();
    }
    bury(std::move(dead));
    if (over) break;
    std::unique_lock lock(posts_.mutex);
    ++posts_.waiting;
    posts_.waiters.wait(lock, [&] { return !posts_.list.empty() || posts_.generation != seen; });
    --posts_.waiting;
  }
  std::lock_guard lock(posts_.mutex);
  if (posts_.waiting == 0 && !posts_.list.empty()) posts_.conductor.notify_one();
}

void Runtime::run_threaded(Lane& lane, std::unique_lock<std::mutex>& lock) {
  cl_ulong host_busy = 0;  // until then this thread copied in the program's memory, which is real time
  while (!halted_ && may_start(lane, lanes_)) {
    const Ref<Action> action = lane.ready.top();
    lane.ready.pop();
    ++lane.in_flight;
    if (action->demand && lane.device < 0) lane.sending_from = action->from_domain;
    ++running_;
    lock.unlock();
    Action::Outcome outcome;
    if (process().machine != nullptr) {
      action->ready_at = std::max(action->ready_at, host_busy);
      outcome = run_emulated(*action);
      if (!action->demand) host_busy = action->ended;
    } else {
      action->started = host_nanoseconds() + clock_offset_;
      outcome = action->work({});
      action->native = std::move(outcome.event);
      read_native_times(*action, clock_offset_);
    }
    lock.lock();
    --lane.in_flight;
    --running_;
    if (std::exchange(lane.sending_from, -1) >= 0)
      lanes_cv_.notify_all();  // who waits for the port may go on
    action->work = nullptr;
    if (journal_ && action->device_lost) {
      note_lost(*action);
    } else {
      mark_complete(*action, outcome.status);
    }
    if (halted_ && running_ == 0) recover();
    pump(lock);
  }
}

Action::Outcome Runtime::run_emulated(Action& action) {
  emulation::Machine& machine = *process().machine;
  Action::Outcome outcome;
  if (action.inherited < 0) {  // bytes were lost with a device that failed
    action.started = action.ended = std::max(action.ready_at, now());
    outcome.status = action.inherited;
    return outcome;
  }
  if (!action.demand) {  // copies inside the program's memory and the like take no emulated time
    action.started = std::max(action.ready_at, now());
    outcome = action.work({});
    action.ended = now();
    return outcome;
  }
  const emulation::Span span =
      machine.run(*action.demand, action.ready_at, [&] { outcome = action.work({}); });
  action.started = span.working;
  action.ended = span.end;
  if (span.failed) outcome.status = CL_OUT_OF_RESOURCES;  // as drivers call it when a device is gone
  action.device_lost = span.failed;
  action.begun = span.begun;
  return outcome;
}

void Runtime::lane_thread(Lane& lane) {
  std::unique_lock lock(mutex_);
  for (;;) {
    lanes_cv_.wait(lock,
                   [&] { return stop_ || (!halted_ && may_start(lane, lanes_) && !process_exiting.load()); });
    if (stop_) return;
    run_threaded(lane, lock);
    std::vector<Ref<Command>> dead;
    dead.swap(graveyard_);
    lock.unlock();
    bury(std::move(dead));
    lock.lock();
  }
}

void Runtime::conductor_thread() {
  constexpr auto kIdle =
      std::chrono::microseconds(100);  // Rule 7: a window closes when nothing came for so long
  std::unique_lock lock(posts_.mutex);
  for (;;) {
    posts_.conductor.wait(lock, [&] {
      return posts_.stop || ((posts_.wake_conductor || !posts_.list.empty()) && !process_exiting.load());
    });
    if (posts_.stop) return;
    const bool window = std::exchange(posts_.wake_conductor, false);
    lock.unlock();
    take_posts();
    if (window) {
      for (;;) {
        const cl_ulong quiet = host_nanoseconds() - last_capture_.load(std::memory_order_relaxed);
        if (quiet >= static_cast<cl_ulong>(std::chrono::nanoseconds(kIdle).count())) break;
        std::this_thread::sleep_for(kIdle - std::chrono::nanoseconds(quiet));
      }
      if (!process_exiting.load()) flush();
    }
    lock.lock();
  }
}

void Runtime::start_threads() {
  if (std::exchange(threads_started_, true)) return;
  // The program's signals are the program's: our threads take none.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  threads_.emplace_back([this] { conductor_thread(); });
  for (const auto& lane : lanes_) {
    if (lane->kind == Lane::Kind::threaded)
      threads_.emplace_back([this, l = lane.get()] { lane_thread(*l); });
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace mkmd
