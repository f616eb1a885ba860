// SPDX-License-Identifier: Apache-2.0
// The plans of the last windows. A program that iterates, and waits in every iteration, captures the same
// window again and again: the same launches on the same buffers, which lie where they lay then. Such a window
// takes over the plan that was made for it, as long as no predicted time has changed much.
#pragma once

#include "libinterpose/capture/planner.hpp"

namespace mkmd {

class KeptPlans {
public:
  struct Plan {
    std::vector<uint64_t> words;  // what it was made for
    // Named there by their addresses, which do not become those of others while these live.
    std::vector<std::weak_ptr<const LaunchFacts>> facts;
    std::vector<Planner::Task> tasks;  // their commands are gone
    std::optional<scheduler::Schedule> schedule;
    Planner::PlannedSources sources;
    std::vector<ByteRanges> places;
  };

  std::optional<Plan> take(const std::vector<uint64_t>& words);
  void keep(Plan plan);

private:
  static constexpr size_t kMost = 4;
  static constexpr size_t kMostTasks = 256;
  std::vector<Plan> plans_;  // the oldest first
};

}  // namespace mkmd
