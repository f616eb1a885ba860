// SPDX-License-Identifier: Apache-2.0
// The CodeBuilder has code for pieces made: on a thread of its own beside the program, or while the caller
// waits. A driver may need long for it, and the program needs none of it: its launches run whole meanwhile.
// Thread-safe.
#pragma once

#include "common/log.hpp"
#include "common/thread_annotations.hpp"
#include "libinterpose/commands/piece_code.hpp"
#include "libinterpose/life/beside_thread.hpp"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace mkmd {

class CodeBuilder {
public:
  // The first refusal of each device is said at the level `refusals`, further ones as information. `built`:
  // called behind each build, before it counts as over; null: not needed.
  explicit CodeBuilder(LogLevel refusals, void (*built)() = nullptr, BuildCode build = build_piece_code)
      : refusals_(refusals), built_(built), build_(std::move(build)) {}
  ~CodeBuilder() { stop(); }

  // Makes the code for all devices. The caller waits.
  void make(SubKernels& sub_kernels, const CodePlaces& places);
  // The same beside the caller; only the first request counts. Begins when `after` is over: a driver compiles
  // one thing at a time, and what the program waits for comes first. Null: at once.
  void make_beside(std::shared_ptr<SubKernels> sub_kernels, const CodePlaces& places,
                   vendor::Owned<cl_event> after);

  // How long making the code of a program takes, according to the last one. Before the first, what is
  // expected.
  void expect(double seconds) { seconds_.store(seconds, std::memory_order_relaxed); }
  double seconds() const { return seconds_.load(std::memory_order_relaxed); }

  // While it lives, this thread may call a driver's compiler for other things than code for pieces: those
  // that pause or stop the builder wait for it.
  class Call {
  public:
    explicit Call(CodeBuilder& builder);  // waits until the builder is resumed
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    bool is_allowed() const { return allowed_; }  // false: the builder is stopped

  private:
    CodeBuilder& builder_;
    bool allowed_ = true;
  };

  // No build begins until resume(), on any thread. Waits for those under way on other threads, at most ten
  // seconds. False: it waited in vain.
  bool pause();
  void resume();
  void stop();  // for good: the thread begins no build any more, and no other thread is in one

private:
  struct Job {
    std::shared_ptr<SubKernels> sub_kernels;
    CodePlaces places;
    std::vector<vendor::Owned<cl_context>> contexts;  // of the places; kept until no build needs them
    vendor::Owned<cl_event> after;
  };

  void make_here(SubKernels& sub_kernels, const CodePlaces& places);
  void work_on(Job& job);
  void wait_for(const Job& job);
  void say_refusals(SubKernels& sub_kernels, const CodePlaces& places);

  const LogLevel refusals_;
  void (*const built_)();
  const BuildCode build_;
  std::atomic<double> seconds_{0};
  Mutex mutex_;
  std::condition_variable changed_;
  int calls_ GUARDED_BY(mutex_) = 0;
  int paused_ GUARDED_BY(mutex_) = 0;
  bool stopped_ GUARDED_BY(mutex_) = false;
  std::set<std::string> refusing_ GUARDED_BY(mutex_);  // devices, as the user names them
  BesideThread thread_;                                // ends first: its work uses the rest
};

}  // namespace mkmd
