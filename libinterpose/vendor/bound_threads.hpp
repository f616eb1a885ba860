// SPDX-License-Identifier: Apache-2.0
// The threads of a driver that stay on one core each, and may move while that is of no use.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

namespace mkmd::vendor {

std::vector<pid_t> threads_of_process();

// Two sub-devices of a CPU are twice as quick as one only if their threads stay on their cores, so PoCL is
// told to bind them. Work of the whole device gains nothing from that, and on a busy machine loses: a thread
// that may not move waits for the other program on its core, and everybody waits for the thread. So they are
// bound while captured work is under way, and until so many commands in a row have gone straight to the home
// device that letting go costs them nothing.
class BoundThreads {
public:
  // The driver's threads, before anything else happens; without them nothing ever does. Those among them that
  // are bound to one core may later be on any of `anywhere`.
  void watch(std::vector<pid_t> threads, const cpu_set_t& anywhere);

  void captured_work_begins();  // of one context; each call is followed by one of the next
  void captured_work_ends();
  void native_command() {
    if (threads_.empty()) return;
    if (natives_.fetch_add(1, std::memory_order_relaxed) + 1 == natives_until_release_) release();
  }

private:
  void release();

  std::vector<pid_t> threads_;
  cpu_set_t anywhere_{};
  uint32_t natives_until_release_ = 0;
  std::atomic<uint32_t> natives_{0};  // since captured work was last under way
  std::mutex mutex_;
  int capturing_ = 0;
  std::vector<std::pair<pid_t, cpu_set_t>> released_;  // and what each was bound to
};

}  // namespace mkmd::vendor
