// SPDX-License-Identifier: Apache-2.0
// The incomplete captured commands of a context, in the program's order. A command is complete when its
// actions are, and the commands that it follows. The context is in the captured regime while there is an
// incomplete one.
#pragma once

#include "libinterpose/capture/epoch.hpp"
#include "libinterpose/capture/outcomes.hpp"

#include <atomic>
#include <map>
#include <span>
#include <vector>

namespace mkmd {

// All but any() with the executor's mutex held.
class CapturedCommands {
public:
  CapturedCommands(Executor& executor, Epoch& epoch, Outcomes& outcomes)
      : executor_(executor), epoch_(epoch), outcomes_(outcomes) {}

  bool any() const { return count_.load(std::memory_order_acquire) > 0; }

  // Adds a command behind those that the program orders before it. `waits`: its wait list.
  void add(Command& command, std::span<Event* const> waits);
  // A command that is done again, or replaces one, keeps the captured regime until count_down().
  void count_up() { count_.fetch_add(1, std::memory_order_acq_rel); }
  void count_down();

  void action_over(const Action& action);  // a part of a command
  void part_over(Command& command);        // an action of it, its planning, or a command before it

  // The queue's incomplete commands. In an in-order queue the last one is enough: it is complete only when
  // all others are.
  std::vector<Ref<Command>> of(Queue& queue) const;
  // Its queue is in order and has no later one.
  bool is_last(const Command& command) const;

private:
  void leave_queue(Command& command) REQUIRES(executor_.mutex());
  void complete_event(Command& command) REQUIRES(executor_.mutex());

  Executor& executor_;
  Epoch& epoch_ GUARDED_BY(executor_.mutex());
  Outcomes& outcomes_ GUARDED_BY(executor_.mutex());
  std::atomic<int> count_{0};
  struct OfQueue {
    Ref<Command> last;                     // of an in-order queue; the last barrier of another
    std::map<uint64_t, Ref<Command>> all;  // of an out-of-order queue, by sequence
  };
  // Only queues that have such commands, which hold them.
  std::map<Queue*, OfQueue> of_queue_ GUARDED_BY(executor_.mutex());
  std::map<Event*, Ref<Command>> of_event_ GUARDED_BY(executor_.mutex());
};

}  // namespace mkmd
