// SPDX-License-Identifier: Apache-2.0
// Who does the Runtime's work. Vendor callbacks only post; whoever waits, or else the conductor thread, takes
// the posts, marks actions complete and pumps. Lanes that block have threads of their own.
#include "common/log.hpp"
#include "libinterpose/emulation/machine.hpp"
#include "libinterpose/process.hpp"
#include "libinterpose/runtime/careful.hpp"
#include "libinterpose/runtime/host_clock.hpp"
#include "libinterpose/runtime/runtime.hpp"
#include "libinterpose/runtime/transfer_order.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <pthread.h>
#include <set>
#include <system_error>

namespace mkmd {

namespace {

// So long without news, drivers are asked what became of their commands: callbacks may never come.
constexpr std::chrono::seconds kSecondLook{1};

// `over`: when we heard that it is, by the host's clock.
void read_native_times(Action& action, int64_t host_to_home, cl_ulong over) {
  cl_ulong start = 0;
  cl_ulong end = 0;
  if (action.native) {
    const auto& table = vendor::table(action.native.get());
    const auto ask = [&](cl_profiling_info what, cl_ulong& value) {
      return table.clGetEventProfilingInfo(action.native.get(), what, sizeof value, &value, nullptr) ==
             CL_SUCCESS;
    };
    if (!ask(CL_PROFILING_COMMAND_START, start) || !ask(CL_PROFILING_COMMAND_END, end)) start = end = 0;
  }
  const cl_ulong now = over + host_to_home;
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

}  // namespace

// Waking a thread takes a core from the devices, so a completion that sets nothing off stays in the list
// until one comes that does. The last of a lane and the last of a queue always do.
bool Runtime::can_wait(const Action& action, cl_int status) {
  const bool last_of_lane = action.lane->unposted.fetch_sub(1) == 1;
  const bool last_of_queue = !action.command || action.command->queue->unposted.fetch_sub(1) == 1;
  return status >= 0 && !last_of_lane && !last_of_queue && !action.is_part() && !action.awaited.load() &&
         eager_.load() == 0;
}

void Runtime::post(Action* action, cl_int status) {
  constexpr size_t kMany = 64;
  std::lock_guard lock(posts_.mutex);
  posts_.list.push_back({Ref<Action>(action), status, host_nanoseconds()});
  if (can_wait(*action, status) && posts_.list.size() < kMany) return;
  if (posts_.waiting > 0) {
    posts_.waiters.notify_one();
  } else {
    posts_.conductor.notify_one();
  }
}

void Runtime::wake_waiters() {
  std::lock_guard posts(posts_.mutex);
  ++posts_.generation;
  if (posts_.waiting > 0) posts_.waiters.notify_all();
}

bool Runtime::take_posts() {
  std::vector<Posts::Post> list;
  {
    std::lock_guard lock(posts_.mutex);
    list.swap(posts_.list);
  }
  if (list.empty()) return false;
  for (auto& [action, status, at] : list) {
    // PoCL tells callbacks what they asked for, also of commands that have failed.
    if (status >= 0 && action->native) status = end_of(action->native.get());
    read_native_times(*action, clock_offset_, at);
  }
  Dead dead;
  {
    std::unique_lock lock(mutex_);
    for (auto& [action, status, at] : list) {
      mark_over(*action, status < 0 ? status : CL_SUCCESS);
    }
    pump(lock);
    dead = std::exchange(graveyard_, {});
  }
  bury(std::move(dead));
  return true;
}

// Some drivers do not end a command that waits for a failed one, as they should (OpenCL 3.0, 5.11). It has
// not started a while after that failure, nothing else keeps it from starting, and so it never will.
std::set<const Action*> Runtime::stuck_actions() const {
  const cl_ulong recent = now() - std::chrono::nanoseconds(kSecondLook).count();
  std::set<const Action*> stuck;
  const auto is_stuck = [&](const Ref<Action>& action) { return stuck.count(action.get()) > 0; };
  const auto has_failed = [&](const Ref<Action>& before) {
    return before->over && (before->status < 0 || before->entry_failed) && before->ended < recent;
  };
  for (size_t known = 1; known != stuck.size();) {
    known = stuck.size();
    for (const Lane* lane : compute_) {
      const auto& actions = lane->under_way;  // in the order of its queue
      const auto first = std::find_if_not(actions.begin(), actions.end(), is_stuck);
      if (first == actions.end() || (*first)->state != Action::State::submitted) continue;
      const auto& chained = (*first)->chained;
      const bool may_wait = std::any_of(chained.begin(), chained.end(), [&](const Ref<Action>& before) {
        return !before->over && !before->complete() && !is_stuck(before);
      });
      const bool is_behind = std::any_of(chained.begin(), chained.end(), [&](const Ref<Action>& before) {
        return has_failed(before) || is_stuck(before);
      });
      if (!may_wait && is_behind) stuck.insert(first->get());
    }
  }
  return stuck;
}

// Drivers call back when a command is complete; not all of them do when it has failed.
void Runtime::ask_drivers() {
  std::vector<Ref<Action>> asked;
  std::set<const Action*> stuck;
  {
    const std::lock_guard lock(mutex_);
    stuck = stuck_actions();
    for (const Lane* lane : compute_) {
      for (const Ref<Action>& action : lane->under_way) {
        if (action->state != Action::State::submitted || action->heard.load()) continue;
        ++action->calls;
        asked.push_back(action);
      }
    }
  }
  for (const Ref<Action>& action : asked) {
    auto status = status_of(action->native.get());
    if (status && *status > CL_RUNNING && stuck.count(action.get()) > 0)
      status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    if (status && *status <= CL_COMPLETE && !action->heard.exchange(true)) post(action.get(), *status);
  }
  const std::lock_guard lock(mutex_);
  for (const Ref<Action>& action : asked) {
    if (--action->calls == 0 && action->complete()) graveyard_.held.push_back(action->let_go());
  }
}

bool Runtime::wait_until(const std::function<bool()>& done, std::optional<cl_ulong> latest) {
  bool over = false;
  for (;;) {
    uint64_t seen;
    {
      std::lock_guard lock(posts_.mutex);
      seen = posts_.generation;
    }
    take_posts();
    Dead dead;
    {
      std::unique_lock lock(mutex_);
      if (process_exiting.load()) {  // our threads are parked: do their work here
        for (const auto& lane : lanes_) {
          if (lane->kind == Lane::Kind::threaded) run_threaded(*lane, lock);
        }
        pump(lock);
      }
      dead = std::exchange(graveyard_, {});
      over = done();
    }
    bury(std::move(dead));
    if (over) break;
    const cl_ulong now = latest ? host_nanoseconds() : 0;
    if (latest && now >= *latest) break;
    std::chrono::nanoseconds longest = kSecondLook;
    if (latest) longest = std::min(longest, std::chrono::nanoseconds(*latest - now));
    std::unique_lock lock(posts_.mutex);
    ++posts_.waiting;
    const bool news = posts_.waiters.wait_for(
        lock, longest, [&] { return !posts_.list.empty() || posts_.generation != seen; });
    --posts_.waiting;
    lock.unlock();
    if (!news && longest == kSecondLook) ask_drivers();
  }
  std::lock_guard lock(posts_.mutex);
  if (posts_.waiting == 0 && !posts_.list.empty()) posts_.conductor.notify_one();
  return over;
}

void Runtime::run_threaded(Lane& lane, std::unique_lock<std::mutex>& lock) {
  while (!halted_ && may_start(lane, lanes_, emitted_)) {
    const Ref<Action> action = take_next(lane, lanes_, emitted_);
    lane.under_way.push_back(action);
    if (action->demand && lane.transfers()) lane.sending = action;
    ++running_;
    action->state = Action::State::submitting;
    const cl_int refused = refusal(*action);
    lock.unlock();
    Action::Outcome outcome;
    if (process().machine != nullptr) {
      outcome = run_emulated(*action);
    } else {
      action->started = host_nanoseconds() + clock_offset_;
      outcome = refused < 0 ? Action::Outcome{refused, {}} : action->perform({});
      action->begun = outcome.begun;
      action->native = std::move(outcome.event);
      read_native_times(*action, clock_offset_, host_nanoseconds());
    }
    lock.lock();
    std::erase(lane.under_way, action);
    --running_;
    if (std::exchange(lane.sending, {})) lanes_cv_.notify_all();  // who waits for its ports may go on
    if (journal_ && action->device_lost) {
      action->work = nullptr;
      note_lost(*action);
    } else {
      mark_over(*action, outcome.status);
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
  // Copies inside the program's memory and the like take no emulated time: what they really take delays
  // others, who have time to make up for it.
  if (!action.demand) {
    machine.clock().sleep_until(action.ready_at);  // the plan it is from may have to be paid for still
    action.started = action.ended = action.ready_at > 0 ? action.ready_at : now();
    outcome = action.work({});
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
    lanes_cv_.wait(lock, [&] {
      return stop_ || (!halted_ && may_start(lane, lanes_, emitted_) && !process_exiting.load());
    });
    if (stop_) return;
    run_threaded(lane, lock);
    Dead dead;
    dead = std::exchange(graveyard_, {});
    lock.unlock();
    bury(std::move(dead));
    lock.lock();
  }
}

void Runtime::conductor_thread() {
  // Rule 7: a window closes when nothing came for so long, by the clock the program's commands run on.
  constexpr double kIdle = 100'000;  // nanoseconds
  const emulation::Machine* machine = process().machine;
  const auto idle =
      static_cast<cl_ulong>(kIdle * (machine != nullptr ? machine->platform().time_scale : 1.0));
  std::unique_lock lock(posts_.mutex);
  for (;;) {
    const auto due = [&] {
      return posts_.stop || ((posts_.wake_conductor || !posts_.list.empty()) && !process_exiting.load());
    };
    if (!capturing()) {
      posts_.conductor.wait(lock, due);  // whoever captures wakes it
    } else if (!posts_.conductor.wait_for(lock, kSecondLook, due)) {
      if (process_exiting.load()) continue;
      lock.unlock();
      ask_drivers();
      lock.lock();
      continue;
    }
    if (posts_.stop) return;
    const bool window = std::exchange(posts_.wake_conductor, false);
    lock.unlock();
    take_posts();
    if (window) {
      for (;;) {
        const cl_ulong quiet = host_nanoseconds() - last_capture_.load(std::memory_order_relaxed);
        if (quiet >= idle) break;
        std::this_thread::sleep_for(std::chrono::nanoseconds(idle - quiet));
      }
      if (!process_exiting.load()) flush();
    }
    lock.lock();
  }
}

bool Runtime::start_threads() {
  if (threads_started_) return true;
  if (threads_refused_) return false;
  // The program's signals are the program's: our threads take none.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    threads_.emplace_back([this] { conductor_thread(); });
    for (const auto& lane : lanes_) {
      if (lane->kind == Lane::Kind::threaded)
        threads_.emplace_back([this, l = lane.get()] { lane_thread(*l); });
    }
    threads_started_ = true;
  } catch (const std::system_error& error) {
    threads_refused_ = true;  // those that there are wait for nothing
    log(LogLevel::warning, std::string("no more threads can be had (") + error.what() +
                               "): kernels run whole on the home device");
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return threads_started_;
}

}  // namespace mkmd
