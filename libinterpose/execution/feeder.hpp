// SPDX-License-Identifier: Apache-2.0
// The Feeder starts actions. It submits the ready actions of lanes that are queues in the plan's order. On
// the threads of threaded lanes it carries their actions out. It releases the executor's mutex during calls
// of devices.
#pragma once

#include "libinterpose/execution/posts.hpp"
#include "libinterpose/execution/progress.hpp"

namespace mkmd {

class Feeder {
public:
  Feeder(ExecutionObserver& observer, ExecutionConfiguration configuration, const Lanes& lanes,
         Progress& progress, Posts& posts)
      : observer_(observer), configuration_(configuration), lanes_(lanes), progress_(progress),
        posts_(posts) {}

  Mutex& mutex() const RETURN_CAPABILITY(progress_.mutex()) { return progress_.mutex(); }

  // Starts the actions of lanes that are queues, and repairs. One thread at a time does so. Other threads
  // return at once.
  void pump() REQUIRES(progress_.mutex());
  // Carries out a threaded lane's actions on this thread.
  void run_threaded(Lane& lane) REQUIRES(progress_.mutex());
  // Waits for what the device of a helped lane was given. It computes with this thread.
  void help(Lane& lane) REQUIRES(progress_.mutex());
  // Carries out those of all threaded lanes, and helps, where lanes have no threads.
  void run_threaded() REQUIRES(progress_.mutex());
  bool lacks_threads() const;  // the executor's threads are parked, or it has none

private:
  void wake_lanes() REQUIRES(progress_.mutex());  // if their threads have new actions
  Lane* next_lane() REQUIRES(progress_.mutex());
  void start_first(Lane& lane) REQUIRES(progress_.mutex());
  bool flush_lanes() REQUIRES(progress_.mutex());
  bool take_part() REQUIRES(progress_.mutex());

  ExecutionObserver& observer_;
  const ExecutionConfiguration configuration_;
  const Lanes& lanes_;
  Progress& progress_;
  Posts& posts_;
  bool pumping_ GUARDED_BY(progress_.mutex()) = false;
};

}  // namespace mkmd
