// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/life/callback_thread.hpp"

#include "common/log.hpp"
#include "common/process_exiting.hpp"
#include "common/signals_blocked.hpp"
#include "common/thread_annotations.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <list>
#include <system_error>
#include <thread>

namespace mkmd {

namespace {

using Clock = std::chrono::steady_clock;

// Callbacks need not be thread-safe on all drivers: Intel's CPU runtime runs one at a time, PoCL one per
// worker. So a callback begins once the one before it has ended. But a callback may wait for another one,
// which PoCL allows. Nothing tells a callback that waits from one that works. After so long it counts as
// waiting.
constexpr std::chrono::milliseconds kAlone{10};

struct Due {
  CallbackOrder order;
  Clock::time_point since;
};

struct Waiting {
  std::function<void()> call;
  Due due;
};

struct Callbacks {
  Mutex mutex;
  std::condition_variable changed;
  std::atomic<size_t> unfinished{0};  // promised, waiting or running
  std::list<CallbackOrder> promised GUARDED_BY(mutex);
  std::deque<Waiting> waiting GUARDED_BY(mutex);
  std::list<Due> running GUARDED_BY(mutex);
  int idle GUARDED_BY(mutex) = 0;  // threads that are not inside a callback
  Clock::time_point last_began GUARDED_BY(mutex);
};

Callbacks& callbacks() {
  static auto* state = new Callbacks;  // never destroyed: its threads outlive everything
  return *state;
}

thread_local bool on_callback_thread = false;

void start_thread(Callbacks& state) REQUIRES(state.mutex);

using Place = std::deque<Waiting>::iterator;

bool may_begin(Callbacks& state, Place one) REQUIRES(state.mutex) {
  const CallbackOrder& order = one->due.order;
  const auto is_before = [&](const Due& due) {
    return due.order.line == order.line && due.since >= order.since;
  };
  return std::none_of(state.running.begin(), state.running.end(), is_before) &&
         std::none_of(state.waiting.begin(), one, [&](const Waiting& w) { return is_before(w.due); });
}

Place wait_for_turn(Callbacks& state, Lock& lock) REQUIRES(state.mutex) {
  for (;;) {
    Place next = state.waiting.begin();
    while (next != state.waiting.end() && !may_begin(state, next))
      ++next;
    const Clock::time_point alone_until = state.last_began + kAlone;
    if (next == state.waiting.end()) {
      state.changed.wait(lock.to_wait());
    } else if (!state.running.empty() && Clock::now() < alone_until) {
      state.changed.wait_until(lock.to_wait(), alone_until);
    } else {
      return next;
    }
  }
}

// An exception from a callback ends the program here, as it does on a driver's thread.
void run_all() {
  Callbacks& state = callbacks();
  on_callback_thread = true;
  Lock lock(state.mutex);
  for (;;) {
    const Place next = wait_for_turn(state, lock);
    state.last_began = Clock::now();
    state.running.push_front(next->due);
    const auto here = state.running.begin();
    {
      std::function<void()> call = std::move(next->call);
      state.waiting.erase(next);
      --state.idle;
      if (!state.waiting.empty() && state.idle == 0) start_thread(state);
      lock.unlock();
      call();
    }  // its objects are released before others learn that it ended
    lock.lock();
    state.running.erase(here);
    --state.unfinished;
    ++state.idle;
    state.changed.notify_all();
  }
}

void start_thread(Callbacks& state) {
  const SignalsBlocked blocked;
  try {
    std::thread(run_all).detach();
    ++state.idle;
  } catch (const std::system_error& error) {
    log(LogLevel::error, std::string("no thread for callbacks: ") + error.what());
  }
}

void forget_promise(Callbacks& state, const CallbackOrder& order) REQUIRES(state.mutex) {
  const auto kept =
      std::find_if(state.promised.begin(), state.promised.end(), [&](const CallbackOrder& other) {
        return other.line == order.line && other.since == order.since;
      });
  if (kept == state.promised.end()) return;
  state.promised.erase(kept);
  --state.unfinished;
  state.changed.notify_all();
}

bool is_awaited(const CallbackOrder& order, const CallbackOrder& until) {
  const bool is_same = until.line != nullptr ? order.line == until.line : order.queue == until.queue;
  return is_same && order.since <= until.since;
}

}  // namespace

void run_callback(std::function<void()> call, const CallbackOrder& order) {
  Callbacks& state = callbacks();
  if (!process_exiting.load(std::memory_order_acquire)) {
    const Lock lock(state.mutex);
    if (state.idle == 0) start_thread(state);
    if (state.idle > 0 || !state.running.empty()) {
      state.waiting.push_back({std::move(call), {order, Clock::now()}});
      ++state.unfinished;
      forget_promise(state, order);
      state.changed.notify_all();
      return;
    }
    forget_promise(state, order);  // the callback may wait for its own queue
  }
  call();
}

void promise_callback(const CallbackOrder& order) {
  Callbacks& state = callbacks();
  const Lock lock(state.mutex);
  state.promised.push_back(order);
  ++state.unfinished;
}

bool has_callbacks() {
  return callbacks().unfinished.load(std::memory_order_acquire) > 0;
}

void await_callbacks(const CallbackOrder& until, Clock::time_point began, std::chrono::milliseconds longest) {
  if (on_callback_thread || !has_callbacks()) return;
  Callbacks& state = callbacks();
  const auto is_in_time = [&](const Due& due) { return due.since >= began && is_awaited(due.order, until); };
  Lock lock(state.mutex);
  state.changed.wait_for(lock.to_wait(), longest, [&]() REQUIRES(state.mutex) {
    return process_exiting.load() ||
           (std::none_of(state.promised.begin(), state.promised.end(),
                         [&](const CallbackOrder& order) { return is_awaited(order, until); }) &&
            std::none_of(state.running.begin(), state.running.end(), is_in_time) &&
            std::none_of(state.waiting.begin(), state.waiting.end(),
                         [&](const Waiting& waiting) { return is_in_time(waiting.due); }));
  });
}

void drain_callbacks() {
  using namespace std::chrono_literals;
  Callbacks& state = callbacks();
  Lock lock(state.mutex);
  state.changed.notify_all();  // await_callbacks() returns
  // A callback that called exit() is not waited for. One that never returns is waited for shortly.
  if (!on_callback_thread)
    state.changed.wait_for(lock.to_wait(), 1s, [&]() REQUIRES(state.mutex) {
      return state.running.empty() && state.waiting.empty();
    });
  while (!state.waiting.empty()) {
    const std::function<void()> call = std::move(state.waiting.front().call);
    state.waiting.pop_front();
    --state.unfinished;
    lock.unlock();
    call();
    lock.lock();
  }
}

}  // namespace mkmd
