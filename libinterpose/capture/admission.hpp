// SPDX-License-Identifier: Apache-2.0
// Admission to the windows of all contexts. exit() closes it while it waits for what is captured: other
// threads that go on launching would keep it waiting. Thread-safe.
#pragma once

#include "common/thread_annotations.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <optional>

namespace mkmd {

// A kernel may never end. exit() waits so long for work, all its steps together.
inline constexpr std::chrono::seconds kLongestExit{5};

class Admission {
public:
  // While it lives, other threads capture nothing, until kLongestExit after the first one began.
  class Closed {
  public:
    explicit Closed(Admission& admission) : admission_(admission) {
      const Lock lock(admission_.mutex_);
      ++admission_.closed_;
      if (!admission_.latest_) admission_.latest_ = std::chrono::steady_clock::now() + kLongestExit;
    }
    ~Closed() {
      const Lock lock(admission_.mutex_);
      --admission_.closed_;
      admission_.opened_.notify_all();
    }
    Closed(const Closed&) = delete;
    Closed& operator=(const Closed&) = delete;

  private:
    Admission& admission_;
  };

  void wait_until_open() {
    if (closed_.load() == 0) return;
    Lock lock(mutex_);
    if (latest_) opened_.wait_until(lock.to_wait(), *latest_, [&] { return closed_.load() == 0; });
  }

private:
  Mutex mutex_;
  std::condition_variable opened_;
  std::atomic<int> closed_{0};  // written with the mutex held
  std::optional<std::chrono::steady_clock::time_point> latest_ GUARDED_BY(mutex_);
};

}  // namespace mkmd
