// SPDX-License-Identifier: Apache-2.0
// The Gate keeps ready actions from being started. Threads of lanes wait at it. A fork closes it: a child
// whose parent had a thread in a driver may wait for that thread when it exits. The executor's mutex guards
// it.
#pragma once

#include "common/thread_annotations.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

namespace mkmd {

inline constexpr double kAllEmitted = std::numeric_limits<double>::infinity();

class Gate {
public:
  // Actions from this order on do not start, because earlier ones are not pushed yet. kAllEmitted: all start.
  void hold_from(double order) {
    until_ = order;
    has_more_ = true;
  }
  bool holds_back() const { return until_ < kAllEmitted; }
  double until() const { return until_; }

  // No action starts until resume().
  void halt() {
    if (!halted_) is_told_ = false;
    halted_ = true;
  }
  bool is_halted() const { return halted_; }
  bool take_halt() { return halted_ && !std::exchange(is_told_, true); }  // true once for each halt()
  void resume() {
    halted_ = false;
    wake();
  }

  void begin_run() { ++running_; }  // a threaded lane carries an action out
  void end_run() { --running_; }
  bool is_running() const { return running_ > 0; }

  // The library's threads call no driver until open(), as often as this was called.
  void close() { ++closed_; }
  void open() {
    if (closed_ > 0) --closed_;
    has_more_ = true;
    wake();
  }
  bool is_closed() const { return closed_ > 0; }
  void enter() { in_drivers_.push_back(std::this_thread::get_id()); }  // this thread is about to call one
  // `lock` holds the executor's mutex.
  void enter_when_open(Lock& lock) {
    woken_.wait(lock.to_wait(), [&] { return stopped_ || !is_closed(); });
    enter();
  }
  void leave() {
    in_drivers_.erase(std::ranges::find(in_drivers_, std::this_thread::get_id()));
    if (is_closed()) wake();
  }
  // Waits until no other thread is in a driver. False: `longest` is over. `lock` holds the executor's mutex.
  bool wait_until_left(Lock& lock, std::chrono::nanoseconds longest) {
    const auto is_own = [own = std::this_thread::get_id()](std::thread::id id) { return id == own; };
    return woken_.wait_for(lock.to_wait(), longest, [&] { return std::ranges::all_of(in_drivers_, is_own); });
  }

  // For the threads of lanes: they may have more actions to start.
  void note_more() { has_more_ = true; }
  void wake() { woken_.notify_all(); }
  // Wakes them if note_more() was called since they were last woken. Else returns false.
  bool wake_for_more() {
    if (!std::exchange(has_more_, false)) return false;
    wake();
    return true;
  }
  void stop() {
    stopped_ = true;
    wake();
  }
  // `lock` holds the executor's mutex. False: the thread has to end.
  bool wait(Lock& lock, const std::function<bool()>& may_start) {
    woken_.wait(lock.to_wait(), [&] { return stopped_ || (!halted_ && !is_closed() && may_start()); });
    return !stopped_;
  }

private:
  double until_ = kAllEmitted;
  bool halted_ = false;
  bool is_told_ = false;
  int running_ = 0;
  int closed_ = 0;
  std::vector<std::thread::id> in_drivers_;
  bool has_more_ = false;
  bool stopped_ = false;
  std::condition_variable woken_;
};

}  // namespace mkmd
