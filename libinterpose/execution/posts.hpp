// SPDX-License-Identifier: Apache-2.0
// Posts: the list of actions whose ends were heard of, and those that wait for it. Whoever waits takes the
// list, or else the conductor. It has a mutex of its own, which is a leaf.
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
    cl_ulong at;  // host's clock
  };

  void under_way(Action& action) override;
  void ended(Action& action, cl_int status) override;

  std::vector<Post> take() EXCLUDES(mutex_);
  // So many more (or fewer) wait for the completion of any action at once.
  void add_eager(int more) { eager_.fetch_add(more); }

  // Waiters. Each looks at what it waits for between news() and wait().
  void wake_waiters() EXCLUDES(mutex_);  // something happened that they may wait for
  uint64_t news() const EXCLUDES(mutex_);
  // Until there are posts, or news since that number; false: there were none for so long.
  bool wait(uint64_t seen, std::chrono::nanoseconds longest) EXCLUDES(mutex_);
  void hand_over() EXCLUDES(mutex_);  // one waits no more; what is in the list is the conductor's, or others'

  // The conductor.
  void call_conductor() EXCLUDES(mutex_);  // ExecutionObserver::conduct() is due
  enum class Due { end, posts, conduct, nothing };
  // Nothing: there was none of these for so long. While nobody `is_busy`, it waits for ever.
  Due wait_to_conduct(const std::function<bool()>& is_busy, std::chrono::nanoseconds longest)
      EXCLUDES(mutex_);
  void stop() EXCLUDES(mutex_);

private:
  bool can_wait(const Action& action, cl_int status);

  mutable Mutex mutex_;
  std::vector<Post> list_ GUARDED_BY(mutex_);
  std::condition_variable waiters_;
  std::condition_variable conductor_;
  int waiting_ GUARDED_BY(mutex_) = 0;
  uint64_t news_ GUARDED_BY(mutex_) = 0;
  bool conductor_called_ GUARDED_BY(mutex_) = false;
  bool stopped_ GUARDED_BY(mutex_) = false;
  std::atomic<int> eager_{0};
};

}  // namespace mkmd
