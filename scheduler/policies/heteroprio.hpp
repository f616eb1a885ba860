// SPDX-License-Identifier: Apache-2.0
// The HeteroPrio family: idle GPUs take the ready task with the highest acceleration factor, idle CPUs the
// one with the lowest. An idle worker may restart a task that runs on the other class when that ends it
// earlier (spoliation). It is from Beaumont, Eyraud-Dubois, Kumar: Fast Approximation Algorithms for
// Task-Based Runtime Systems.
#pragma once

#include "scheduler/affinity_queue.hpp"
#include "scheduler/online_policy.hpp"
#include "scheduler/ranks.hpp"

namespace mkmd::scheduler {

enum class Spoliation {
  latest,    // HeteroPrioIndep: when nothing is ready, the task that would end last
  any_time,  // HeteroPrioDep: even when something is ready, the task with the best factor
  priority,  // HeteroPrio: when nothing is ready, the task with the highest priority
};

struct HeteroPrioParameters {
  Rank rank = Rank::min;
  Spoliation spoliation = Spoliation::priority;
};

class HeteroPrio : public OnlinePolicy {
public:
  explicit HeteroPrio(const HeteroPrioParameters& parameters) : parameters_(parameters) {}

  std::string_view name() const override;
  void begin(const OnlineState& state) override;
  void ready(int task, const OnlineState& state) override;
  std::optional<Work> next(const OnlineState& state) override;

private:
  int first_ready(int worker, const OnlineState& state) const;
  int victim(int worker, const OnlineState& state) const;
  std::optional<Work> next_any_time(int worker, const OnlineState& state);
  Work take(int task, int worker);

  const HeteroPrioParameters parameters_;
  std::optional<TwoClass> classes_;
  std::vector<double> priority_;
  AffinityQueue queue_;
  int arrivals_ = 0;
};

}  // namespace mkmd::scheduler
