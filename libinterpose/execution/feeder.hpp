// SPDX-License-Identifier: Apache-2.0
// The Feeder starts what may start: it gives devices the ready actions of their lanes in the plan's order,
// and carries out those of lanes that are threads. It lets go of the executor's mutex while devices are
// called.
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

  // Everything that asynchronous lanes may start, and repairs. One thread at a time does it; the others leave
  // it their work.
  void pump() REQUIRES(progress_.mutex());
  // What a threaded lane may start, on this thread.
  void run_threaded(Lane& lane) REQUIRES(progress_.mutex());
  // What all of them may start, for want of threads.
  void run_threaded() REQUIRES(progress_.mutex());
  bool lacks_threads() const;  // they are parked, or there are none

private:
  void wake_lanes() REQUIRES(progress_.mutex());  // if their threads were given more to do
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
