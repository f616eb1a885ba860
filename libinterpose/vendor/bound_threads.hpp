// SPDX-License-Identifier: Apache-2.0
// Threads that a driver has bound to a core each, because its device was divided (select.cpp). Two of them
// that work for two parts may otherwise share a core for milliseconds. But a bound thread waits for whoever
// else uses its core, though another core is free. So beside other processes they are free, as they are
// without us, while no pieces run. Thread-safe.
#pragma once

#include "common/thread_annotations.hpp"

#include <atomic>
#include <functional>
#include <optional>
#include <sched.h>
#include <sys/types.h>
#include <vector>

namespace mkmd::vendor {

std::vector<pid_t> threads_of_process();

// How busy the machine is, in seconds.
struct Load {
  double at = 0;   // by a clock
  double all = 0;  // of processor time that all processes have used
  double own = 0;  // of these: this one
};
std::optional<Load> load_of_machine();

class BoundThreads {
public:
  using Ask = std::function<std::optional<Load>()>;
  // `before`: threads of the process before the driver was woken. Since then it has bound `count` of its own.
  // If it has bound another number, they are left as they are: some may be the program's.
  BoundThreads(std::vector<pid_t> before, unsigned count, Ask ask = load_of_machine);

  void before_piece() {  // of a launch, is given to the driver
    if (free_.load(std::memory_order_relaxed)) bind();
  }
  void native_command();  // goes to home: now and then, look()
  void look() EXCLUDES(mutex_);

private:
  struct Thread {
    pid_t id;
    cpu_set_t core;
  };
  bool is_of_child() const;
  void find() REQUIRES(mutex_);
  void bind() EXCLUDES(mutex_);
  void set_free(bool free) REQUIRES(mutex_);

  const std::vector<pid_t> before_;
  const unsigned count_;
  const Ask ask_;
  const pid_t process_;
  cpu_set_t all_cores_{};
  std::atomic<bool> free_{false};
  std::atomic<double> next_look_;
  Mutex mutex_;
  std::optional<std::vector<Thread>> threads_ GUARDED_BY(mutex_);  // null: not looked for yet
  std::optional<Load> last_ GUARDED_BY(mutex_);
};

}  // namespace mkmd::vendor
