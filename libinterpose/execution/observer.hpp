// SPDX-License-Identifier: Apache-2.0
// What an Executor leaves to whoever has it: to hear of its actions, and how it is to carry them out.
#pragma once

#include "libinterpose/execution/action.hpp"

namespace mkmd {

class ExecutionObserver {
public:
  // With the mutex held. The action has its status and its times, and what waits for it may start.
  virtual void completed(Action& action) = 0;
  // With the mutex held, where losses are made good: the action has not run, or not to its end, because a
  // device or a memory is gone (Action::begun). Nothing new starts.
  virtual void lost(Action& action) = 0;
  // With the mutex held: after Gate::halt() or lost(), nothing runs any more. May let go of the mutex, and
  // call Gate::resume().
  virtual void halted() = 0;
  // Without the mutex, on the conductor's thread, some time after Posts::call_conductor().
  virtual void conduct() = 0;
  // From any thread: there is work that is not complete.
  virtual bool is_busy() const = 0;

protected:
  ~ExecutionObserver() = default;
};

struct ExecutionConfiguration {
  bool home_excludes_others = false;  // home is the whole of which the other devices are parts (Rule 14)
  bool makes_losses_good = false;     // the observer does
  bool has_threads = true;            // else whoever waits does their work
};

}  // namespace mkmd
