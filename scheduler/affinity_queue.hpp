// SPDX-License-Identifier: Apache-2.0
// AffinityQueue: ready tasks by acceleration factor. GPUs take from the end where it is highest, CPUs from
// the other. Among equal factors both take the highest priority first, then the lowest index. A few kinds
// of kernels make a few factors, so each factor has a small ordered set of its own.
#pragma once

#include <map>
#include <set>
#include <utility>

namespace mkmd::scheduler {

class AffinityQueue {
public:
  void clear() { by_factor_.clear(); }
  bool empty() const { return by_factor_.empty(); }

  void push(int task, double factor, double priority) { by_factor_[factor].insert({-priority, task}); }

  void erase(int task, double factor, double priority) {
    const auto tasks = by_factor_.find(factor);
    if (tasks == by_factor_.end()) return;
    tasks->second.erase({-priority, task});
    if (tasks->second.empty()) by_factor_.erase(tasks);
  }

  // The first task from the GPUs' or the CPUs' end that `fits`; -1 when none does.
  template <typename Fits>
  int first(bool gpu, Fits fits) const {
    return gpu ? first_of(by_factor_.rbegin(), by_factor_.rend(), fits)
               : first_of(by_factor_.begin(), by_factor_.end(), fits);
  }

private:
  template <typename Iterator, typename Fits>
  static int first_of(Iterator from, Iterator to, Fits fits) {
    for (; from != to; ++from)
      for (const auto& [priority, task] : from->second)
        if (fits(task)) return task;
    return -1;
  }

  std::map<double, std::set<std::pair<double, int>>> by_factor_;
};

}  // namespace mkmd::scheduler
