// SPDX-License-Identifier: Apache-2.0
// The interface of an Executor to its owner: notifications, and a configuration.
#pragma once

#include "libinterpose/execution/action.hpp"

namespace mkmd {

class ExecutionObserver {
public:
  // Called with the mutex held. The action has its status and its times. Its successors may start.
  virtual void completed(Action& action) = 0;
  // Called with the mutex held, where losses are made good. The action has not run to its end, because a
  // device or a memory is lost. No other action starts.
  virtual void lost(Action& action) = 0;
  // Called with the mutex held after Gate::halt() or lost(), once nothing runs any more. May release the
  // mutex meanwhile, and call Gate::resume().
  virtual void halted() = 0;
  // Called without the mutex, on the conductor's thread, after Posts::call_conductor().
  virtual void conduct() = 0;
  // Whether there is incomplete work. Called from any thread.
  virtual bool is_busy() const = 0;

protected:
  ~ExecutionObserver() = default;
};

struct ExecutionConfiguration {
  bool home_excludes_others = false;  // the other devices are parts of home (Rule 14)
  bool makes_losses_good = false;     // by the observer
  bool has_threads = true;            // else waiting threads do their work
};

}  // namespace mkmd
