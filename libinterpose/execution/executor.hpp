// SPDX-License-Identifier: Apache-2.0
// The Executor carries actions out on lanes. An action may start when its predecessors are complete. Of a
// lane's ready actions, the first in the plan's order starts first. Home repeats actions that a helper failed
// at (Rule 20). The executor knows no commands, plans or traces. It tells its observer of every completion.
//
// Its parts: Progress has the states of actions and the mutex that guards them. Feeder starts actions, if the
// Gate lets it. Posts is the list of ended actions. Graveyard keeps objects until they can be released.
// Queues are fed by the threads that call pump(), one at a time, so a flush needs no thread
// switch. Each other lane has a thread. A waiting thread, or else the conductor thread, takes the posts.
// This class owns the threads, and threads of the program wait in it.
#pragma once

#include "libinterpose/execution/feeder.hpp"

#include <functional>
#include <optional>
#include <set>
#include <thread>
#include <vector>

namespace mkmd {

class Executor {
public:
  using Observer = ExecutionObserver;
  using Configuration = ExecutionConfiguration;

  Executor(Observer& observer, Configuration configuration)
      : observer_(observer), configuration_(configuration),
        progress_(observer, lanes_, configuration.makes_losses_good),
        feeder_(observer, configuration, lanes_, progress_, posts_) {}
  ~Executor() { stop(); }
  void stop();  // ends its threads: nothing is under way, and the caller is none of them

  // Devices and lanes are set before any other call.
  void use(std::unique_ptr<Devices> devices) { progress_.use(std::move(devices)); }
  Devices& devices() const { return progress_.devices(); }
  Lanes& lanes() { return lanes_; }
  const Lanes& lanes() const { return lanes_; }

  // Guards all incomplete actions, and the observer's state.
  Mutex& mutex() const RETURN_CAPABILITY(progress_.mutex()) { return progress_.mutex(); }
  Gate& gate() REQUIRES(mutex()) { return progress_.gate(); }
  Graveyard& graveyard() REQUIRES(mutex()) { return progress_.graveyard(); }
  Posts& posts() { return posts_; }  // needs no mutex

  // The error of an action that failed and could not be repeated. The content of buffers is then unknown, so
  // every later action ends with this error.
  cl_int failed() const { return progress_.failed(); }

  void push(Ref<Action> action) REQUIRES(mutex()) { progress_.push(std::move(action)); }
  // Starts all actions that may start. Releases the mutex during calls of devices.
  void pump() REQUIRES(mutex());
  // After a loss; see Progress.
  bool stop_after_loss() REQUIRES(mutex()) { return progress_.stop_after_loss(); }
  std::vector<Ref<ActionOwner>> drop_unfinished() REQUIRES(mutex()) { return progress_.drop_unfinished(); }
  // Lanes of the domain that have actions under way. `besides` is counted in any case.
  int busy_lanes(int domain, const Lane* besides) const REQUIRES(mutex());

  // False if the system creates no more threads.
  bool start_threads() REQUIRES(mutex());

  bool take_posts() EXCLUDES(mutex());   // completes the actions in the posts; false: there were none
  void ask_devices() EXCLUDES(mutex());  // for the status of submitted actions
  // Waits until `done`, which is called with the mutex held, returns true. Returns false at the instant
  // `latest` of the host's clock. Without `latest` there is no limit.
  bool wait_until(const std::function<bool()>& done, std::optional<cl_ulong> latest = {}) EXCLUDES(mutex());

private:
  class InDrivers;

  void lane_thread(Lane& lane);
  void conductor_thread();
  void look_after_lanes() EXCLUDES(mutex());
  std::set<const Action*> stuck_actions() const REQUIRES(mutex());  // submitted, but never to start

  Observer& observer_;
  const Configuration configuration_;
  Lanes lanes_;
  Posts posts_;
  Progress progress_;
  Feeder feeder_;
  std::vector<std::thread> threads_;
  bool threads_started_ GUARDED_BY(progress_.mutex()) = false;
  bool threads_refused_ GUARDED_BY(progress_.mutex()) = false;
};

}  // namespace mkmd
