// SPDX-License-Identifier: Apache-2.0
// Progress has the states of an executor's actions, from pushed to complete, and the mutex that guards them.
// An action is ready when it has no blockers. It is over when its device has ended it. It is complete when it
// is over and its predecessors are complete. Home repeats failed actions of helpers (repair.cpp, Rule 20).
#pragma once

#include "common/thread_annotations.hpp"
#include "libinterpose/execution/devices.hpp"
#include "libinterpose/execution/gate.hpp"
#include "libinterpose/execution/graveyard.hpp"
#include "libinterpose/execution/lanes.hpp"
#include "libinterpose/execution/observer.hpp"

#include <atomic>
#include <memory>
#include <vector>

namespace mkmd {

// Called without any mutex, before the executor's mutex is taken for the action's end.
inline void tell_owner(Action& action) {
  if (action.origin.owner) action.origin.owner->action_ended();
}

class Progress {
public:
  Progress(ExecutionObserver& observer, const Lanes& lanes, bool makes_losses_good)
      : observer_(observer), lanes_(lanes), makes_losses_good_(makes_losses_good) {}

  void use(std::unique_ptr<Devices> devices) { devices_ = std::move(devices); }
  Devices& devices() const { return *devices_; }

  Mutex& mutex() const RETURN_CAPABILITY(mutex_) { return mutex_; }
  Gate& gate() REQUIRES(mutex_) { return gate_; }
  Graveyard& graveyard() REQUIRES(mutex_) { return graveyard_; }

  // See Executor.
  cl_int failed() const { return failed_.load(std::memory_order_acquire); }
  void push(Ref<Action> action) REQUIRES(mutex_);

  // Where losses are made good (loss.cpp).
  bool stop_after_loss() REQUIRES(mutex_);   // no action starts any more; true: nothing is running
  void abandon_lost() REQUIRES(mutex_);      // actions under way on lost devices: they will not end
  bool is_running() const REQUIRES(mutex_);  // an action is, besides the program's own commands
  // Drops all incomplete actions but the program's own commands. Nothing is running. Returns an owner per
  // action.
  std::vector<Ref<ActionOwner>> drop_unfinished() REQUIRES(mutex_);

  // An action has to be repeated. No other action starts until its followers are over.
  bool is_failing() const REQUIRES(mutex_) { return !failures_.empty(); }
  // The error that keeps an action from being started. Either the context has failed, or the device's memory
  // did not accept bytes that the action needs.
  cl_int refusal(const Action& action) const REQUIRES(mutex_);
  void end_call(Action& action) REQUIRES(mutex_);  // a device call that used its event is over
  void mark_submitted(Action& action, Devices::Submission submission) REQUIRES(mutex_);
  void mark_over(Action& action, cl_int status) REQUIRES(mutex_);  // the device has ended it

private:
  void unblock(Action& action) REQUIRES(mutex_);
  void mark_complete(Action& action, cl_int status) REQUIRES(mutex_);
  void note_complete(Action& action, cl_int status) REQUIRES(mutex_);

  // loss.cpp
  bool is_lost(Action& action) REQUIRES(mutex_);

  // repair.cpp
  void settle(Action& action) REQUIRES(mutex_);
  void repair_failures() REQUIRES(mutex_);
  void start_repairs(const std::vector<Ref<Action>>& actions) REQUIRES(mutex_);
  void give_up(Action& action, cl_int status) REQUIRES(mutex_);

  ExecutionObserver& observer_;
  const Lanes& lanes_;
  const bool makes_losses_good_;
  std::unique_ptr<Devices> devices_;

  mutable Mutex mutex_;
  Gate gate_ GUARDED_BY(mutex_);
  Graveyard graveyard_ GUARDED_BY(mutex_);
  std::atomic<cl_int> failed_{CL_SUCCESS};
  std::vector<Ref<Action>> failures_ GUARDED_BY(mutex_);
  std::vector<Ref<Action>> lost_ GUARDED_BY(mutex_);  // until drop_unfinished()
};

}  // namespace mkmd
