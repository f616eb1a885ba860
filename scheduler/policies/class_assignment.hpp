// SPDX-License-Identifier: Apache-2.0
// Policies that first assign every ready task to a class of devices and then serve each class's list:
// DualHP and the Balanced algorithms. They were written for independent tasks. Here, as in the HeteroPrio
// paper, they are applied to the ready tasks each time something ends. This is the common part; what
// differs is the Assigner.
#pragma once

#include "scheduler/online_policy.hpp"
#include "scheduler/ranks.hpp"

namespace mkmd::scheduler {

struct ReadySet {
  std::span<const int> tasks;
  double cpu_load = 0, gpu_load = 0;           // seconds of running work left, over all devices of the class
  std::span<const double> cpu_free, gpu_free;  // per device of the class: seconds until it is free
};

// Decides for every task of the set whether it goes to the GPUs.
using Assigner = std::vector<bool> (*)(const TwoClass& classes, const ReadySet& ready);

struct ClassAssignmentParameters {
  std::string_view name;
  Assigner assign = nullptr;
  Rank rank = Rank::min;
};

class ClassAssignment : public OnlinePolicy {
public:
  explicit ClassAssignment(const ClassAssignmentParameters& parameters) : parameters_(parameters) {}

  std::string_view name() const override { return parameters_.name; }
  void begin(const OnlineState& state) override;
  void ready(int task, const OnlineState& state) override;
  void ended(const OnlinePiece&, int, double, const OnlineState&) override { stale_ = true; }
  std::optional<Work> next(const OnlineState& state) override;

private:
  void assign(const OnlineState& state);
  int take(std::vector<int>& list, int worker, const OnlineState& state);

  const ClassAssignmentParameters parameters_;
  std::optional<TwoClass> classes_;
  std::vector<double> priority_;
  std::vector<int> ready_, cpu_list_, gpu_list_;
  bool stale_ = false;  // something happened since the last assignment
  int arrivals_ = 0;
};

}  // namespace mkmd::scheduler
