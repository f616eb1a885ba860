// SPDX-License-Identifier: Apache-2.0
// A thread of its own for work that no call of the program waits for. It does one piece of work after the
// other, in the order in which they came. It begins with the first one. Thread-safe.
#pragma once

#include "common/thread_annotations.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <thread>

namespace mkmd {

class BesideThread {
public:
  BesideThread() = default;
  ~BesideThread();  // stops it
  BesideThread(const BesideThread&) = delete;
  BesideThread& operator=(const BesideThread&) = delete;

  // False: there is no thread for it.
  bool add(std::function<void()> work);
  // For good: no work begins any more. Waits for that under way, unless it is the caller itself.
  void stop();

private:
  void run();

  Mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_ GUARDED_BY(mutex_);
  bool stopped_ GUARDED_BY(mutex_) = false;
  bool at_work_ GUARDED_BY(mutex_) = false;
  std::thread thread_ GUARDED_BY(mutex_);
};

}  // namespace mkmd
