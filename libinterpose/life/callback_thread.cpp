// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/life/callback_thread.hpp"

#include "common/log.hpp"
#include "common/process_exiting.hpp"
#include "common/signals_blocked.hpp"
#include "common/thread_annotations.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <system_error>
#include <thread>

namespace mkmd {

namespace {

struct Callbacks {
  Mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> waiting GUARDED_BY(mutex);
  bool has_thread GUARDED_BY(mutex) = false;
  bool running GUARDED_BY(mutex) = false;  // the thread is inside a callback
};

Callbacks& callbacks() {
  static auto* state = new Callbacks;  // never destroyed: the thread outlives everything
  return *state;
}

thread_local bool on_callback_thread = false;

// A program's callback has no business throwing, but it is the program, not we, that would end it here.
void run_all() {
  Callbacks& state = callbacks();
  on_callback_thread = true;
  Lock lock(state.mutex);
  for (;;) {
    state.changed.wait(lock.to_wait(), [&]() REQUIRES(state.mutex) { return !state.waiting.empty(); });
    {
      std::function<void()> call = std::move(state.waiting.front());
      state.waiting.pop_front();
      state.running = true;
      lock.unlock();
      call();
    }  // what it holds goes before anybody is told that it ran
    lock.lock();
    state.running = false;
    state.changed.notify_all();
  }
}

bool start_thread() {
  const SignalsBlocked blocked;
  try {
    std::thread(run_all).detach();
  } catch (const std::system_error& error) {
    log(LogLevel::error, std::string("no thread for callbacks: ") + error.what());
    return false;
  }
  return true;
}

}  // namespace

void run_callback(std::function<void()> call) {
  if (!process_exiting.load(std::memory_order_acquire)) {
    Callbacks& state = callbacks();
    const Lock lock(state.mutex);
    if (!state.has_thread) state.has_thread = start_thread();
    if (state.has_thread) {
      state.waiting.push_back(std::move(call));
      state.changed.notify_all();
      return;
    }
  }
  call();
}

void drain_callbacks() {
  using namespace std::chrono_literals;
  Callbacks& state = callbacks();
  Lock lock(state.mutex);
  // A callback that called exit() itself is not waited for, nor for ever one that never returns.
  if (!on_callback_thread)
    state.changed.wait_for(lock.to_wait(), 1s,
                           [&]() REQUIRES(state.mutex) { return !state.running && state.waiting.empty(); });
  while (!state.waiting.empty()) {
    std::function<void()> call = std::move(state.waiting.front());
    state.waiting.pop_front();
    lock.unlock();
    call();
    lock.lock();
  }
}

}  // namespace mkmd
