// SPDX-License-Identifier: Apache-2.0
// What the program has under way on the native queues of one context. A queue that was used counts as busy
// until a thread takes its work, which puts a marker behind it. Thread-safe.
#pragma once

#include "common/thread_annotations.hpp"
#include "libinterpose/commands/submit.hpp"

#include <atomic>
#include <vector>

namespace mkmd {

class NativeWork {
public:
  // A native turn begins. Whatever the program asks home's driver for, it asks during one.
  void begin_turn() { turns_.fetch_add(1, std::memory_order_relaxed); }
  uint64_t turns() const { return turns_.load(std::memory_order_relaxed); }  // no native turn may live
  void note(Queue& queue);  // something was enqueued on its native queue, during a native turn
  // The event of work, noted too, that may wait for what the program does next.
  void note_waiting(vendor::Owned<cl_event> event);
  void note_end(Queue& queue);  // the queue is about to go
  // Whether something under way in the context may wait for what the program does next: an unset user event,
  // or native work. No native turn may live.
  bool may_wait(const Context& context);
  std::vector<NativeEnd> take();  // markers behind all that is under way
  std::vector<NativeEnd> ends();  // the same, but it stays noted. No native turn may live.
  void finish();                  // waits for all of it

private:
  struct ActiveQueue {
    Queue* queue;  // no reference: a queue holds its context, and with it this
    vendor::Owned<cl_command_queue> native;
  };
  struct End {
    NativeEnd marker;
    bool may_wait = false;  // it is the event of what may wait for the program
  };
  static bool is_over(const End& end);

  std::atomic<uint64_t> turns_{0};
  Mutex mutex_;
  std::vector<ActiveQueue> active_ GUARDED_BY(mutex_);
  // Markers behind what is under way on queues since gone, and events of what may wait.
  std::vector<End> ends_ GUARDED_BY(mutex_);
};

}  // namespace mkmd
