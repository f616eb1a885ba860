// SPDX-License-Identifier: Apache-2.0
// ClassList: list scheduling of tasks whose class (CPUs or GPUs) is already decided. Each class serves its
// ready tasks by the longest way to the end of the graph, every task taking the time of its class. The second
// half of area-list and the evaluation step of heteroprio-refined.
#pragma once

#include "scheduler/online_policy.hpp"
#include "scheduler/two_class.hpp"

#include <set>

namespace mkmd::scheduler {

class ClassList : public OnlinePolicy {
public:
  // With `steal` an idle GPU whose list is empty restarts the task of highest priority that runs on a CPU and
  // would end earlier.
  ClassList(std::string_view name, std::vector<bool> to_gpu, bool steal)
      : name_(name), to_gpu_(std::move(to_gpu)), steal_(steal) {}

  std::string_view name() const override { return name_; }
  void begin(const OnlineState& state) override;
  void ready(int task, const OnlineState& state) override;
  std::optional<Work> next(const OnlineState& state) override;

private:
  int victim(int worker, const OnlineState& state) const;

  const std::string_view name_;
  const std::vector<bool> to_gpu_;
  const bool steal_;
  std::optional<TwoClass> classes_;
  std::vector<double> priority_;
  std::set<std::pair<double, int>> list_[2];
};

}  // namespace mkmd::scheduler
