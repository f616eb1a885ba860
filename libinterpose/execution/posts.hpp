// SPDX-License-Identifier: Apache-2.0
// Posts is the list of ended actions. Threads wait for entries. A waiting thread takes the list, or else the
// conductor does. It has a mutex of its own, which is a leaf.
#pragma once

#include "common/thread_annotations.hpp"
#include "libinterpose/execution/devices.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <vector>

namespace mkmd {

class Posts final : public Devices::Listener {
public:
  struct Post {
    Ref<Action> action;
    cl_int status;
    cl_ulong at;  // by the host's clock
  };

  void under_way(Action& action) override;
  void ended(Action& action, cl_int status) override;

  std::vector<Post> take() EXCLUDES(mutex_);
  // Changes the number of threads that wait for the completion of any action.
  void add_eager(int more) { eager_.fetch_add(more); }

  // While it lives, its thread gives actions to devices. An end that nothing waits for wakes no thread, since
  // the device has more to do soon: the feeding thread takes the list before it goes.
  class Feeding {
  public:
    explicit Feeding(Posts& posts) EXCLUDES(posts.mutex_);
    ~Feeding();
    Feeding(const Feeding&) = delete;
    Feeding& operator=(const Feeding&) = delete;

  private:
    Posts& posts_;
  };

  // For waiting threads. Each checks its condition between news() and wait().
  void wake_waiters() EXCLUDES(mutex_);  // one of their conditions may hold
  uint64_t news() const EXCLUDES(mutex_);
  // Waits for posts, or for news after the number `seen`. False: there were none for so long.
  bool wait(uint64_t seen, std::chrono::nanoseconds longest) EXCLUDES(mutex_);
  void hand_over() EXCLUDES(mutex_);  // a thread stops waiting; others take the list

  // For the conductor.
  void call_conductor() EXCLUDES(mutex_);  // ExecutionObserver::conduct() is due
  enum class Due { end, posts, conduct, nothing };
  // `nothing`: none of these happened for so long. While `is_busy` returns false, there is no limit.
  Due wait_to_conduct(const std::function<bool()>& is_busy, std::chrono::nanoseconds longest)
      EXCLUDES(mutex_);
  void stop() EXCLUDES(mutex_);

private:
  bool can_wait(const Action& action, cl_int status) REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::vector<Post> list_ GUARDED_BY(mutex_);
  std::condition_variable waiters_;
  std::condition_variable conductor_;
  int waiting_ GUARDED_BY(mutex_) = 0;
  int feeding_ GUARDED_BY(mutex_) = 0;
  uint64_t news_ GUARDED_BY(mutex_) = 0;
  bool conductor_called_ GUARDED_BY(mutex_) = false;
  bool stopped_ GUARDED_BY(mutex_) = false;
  std::atomic<int> eager_{0};
};

}  // namespace mkmd
