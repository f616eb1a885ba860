// SPDX-License-Identifier: Apache-2.0
// The Executor carries actions out on lanes: each when those it waits for are complete, in the plan's order
// among those that are ready. What a helper fails at, home does again (Rule 20). It knows nothing of
// commands, plans and traces: its observer hears of every completion.
//
// Its parts: the states of actions and the mutex that guards them (Progress), what starts them (Feeder, which
// a Gate keeps back), the ends that were heard of (Posts), the Lanes, and what is to be let go of
// (Graveyard). Asynchronous lanes are fed by whoever calls pump(), one thread at a time; the others leave it
// their work. So a flush costs no thread switch. Threaded lanes have a thread each. Ends of actions only go
// into the posts; whoever waits, or else the conductor thread, takes them from there. This class is the
// threads, and those that wait.
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
  void stop();  // nothing is under way; ends its threads, so it may not run on one of them

  // What it works with: all before anything else.
  void use(std::unique_ptr<Devices> devices) { progress_.use(std::move(devices)); }
  Devices& devices() const { return progress_.devices(); }
  Lanes& lanes() { return lanes_; }
  const Lanes& lanes() const { return lanes_; }

  // Guards all actions that are not complete, and the observer's things.
  Mutex& mutex() const RETURN_CAPABILITY(progress_.mutex()) { return progress_.mutex(); }
  Gate& gate() REQUIRES(mutex()) { return progress_.gate(); }
  Graveyard& graveyard() REQUIRES(mutex()) { return progress_.graveyard(); }
  Posts& posts() { return posts_; }  // with or without the mutex

  // The error of an action that could neither be done nor done again: from then on nobody knows which bytes
  // are whole, so every later action has it.
  cl_int failed() const { return progress_.failed(); }

  void push(Ref<Action> action) REQUIRES(mutex()) { progress_.push(std::move(action)); }
  // Starts what may start. Lets go of the mutex while devices are called.
  void pump() REQUIRES(mutex());
  // After a loss; see Progress.
  bool stop_after_loss() REQUIRES(mutex()) { return progress_.stop_after_loss(); }
  std::vector<Ref<ActionOwner>> drop_unfinished() REQUIRES(mutex()) { return progress_.drop_unfinished(); }
  // With `besides`, whatever that does.
  int busy_lanes(int domain, const Lane* besides) const REQUIRES(mutex());

  // False if the system gives no more; nothing where it is to have none.
  bool start_threads() REQUIRES(mutex());

  bool take_posts()
      EXCLUDES(mutex());  // makes actions complete whose ends were heard of; false: there were none
  void ask_devices() EXCLUDES(mutex());  // what became of what they were given
  // `done` is called with the mutex held. False if it is not so at the instant `latest` of the host's clock;
  // without one this waits for ever.
  bool wait_until(const std::function<bool()>& done, std::optional<cl_ulong> latest = {}) EXCLUDES(mutex());

private:
  void lane_thread(Lane& lane);
  void conductor_thread();
  void look_after_lanes() EXCLUDES(mutex());
  std::set<const Action*> stuck_actions() const REQUIRES(mutex());  // submitted ones that will never start

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
