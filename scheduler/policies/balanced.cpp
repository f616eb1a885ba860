// SPDX-License-Identifier: Apache-2.0
// balanced-estimate and balanced-makespan: every task starts on its favourite class. Then tasks leave the
// class that would end later, and the best assignment met is kept. The first judges assignments by mean
// load and longest task, the second by the makespan of an LPT schedule. Both are from Canon, Marchal,
// Vivien: Low-Cost Approximation Algorithms for Scheduling Independent Tasks on Hybrid Platforms. Here they
// work on ready sets and count the load of what runs.
#include "scheduler/policies/class_assignment.hpp"
#include "scheduler/policies/online_adapter.hpp"

#include <algorithm>
#include <queue>
#include <set>

namespace mkmd::scheduler {
namespace {

class Balanced {
public:
  Balanced(const TwoClass& classes, const ReadySet& ready, bool by_makespan)
      : classes_(classes), ready_(ready), by_makespan_(by_makespan), to_gpu_(ready.tasks.size()) {
    load_[0] = ready.cpu_load;
    load_[1] = ready.gpu_load;
    count_[0] = static_cast<double>(ready.cpu_free.size());
    count_[1] = static_cast<double>(ready.gpu_free.size());
    for (size_t i = 0; i < ready.tasks.size(); ++i)
      put(static_cast<int>(i), classes.gpu_time(ready.tasks[i]) <= classes.cpu_time(ready.tasks[i]));
  }

  std::vector<bool> solve() {
    std::vector<bool> best = to_gpu_;
    double best_value = value();
    const bool from = end_of(true) > end_of(false);  // the class that ends later gives tasks away
    for (int i = leaving(from); i >= 0; i = leaving(from)) {
      take(i, from);
      put(i, !from);
      const double now = value();
      if (now < best_value) {
        best_value = now;
        best = to_gpu_;
      }
      if (end_of(!from) >= end_of(from)) break;
    }
    return best;
  }

private:
  double time(int i, bool gpu) const { return classes_.class_time(ready_.tasks[i], gpu); }

  void put(int i, bool gpu) {
    to_gpu_[i] = gpu;
    load_[gpu] += time(i, gpu);
    longest_[gpu].insert({time(i, gpu), i});
    cheapest_[gpu].insert({time(i, !gpu) / std::max(time(i, gpu), 1e-300), i});
  }

  void take(int i, bool gpu) {
    load_[gpu] -= time(i, gpu);
    longest_[gpu].erase({time(i, gpu), i});
    cheapest_[gpu].erase({time(i, !gpu) / std::max(time(i, gpu), 1e-300), i});
  }

  // When the class would end: its mean load, but no earlier than its longest task.
  double end_of(bool gpu) const {
    const double longest = longest_[gpu].empty() ? 0 : longest_[gpu].rbegin()->first;
    return std::max(load_[gpu] / count_[gpu], longest);
  }

  double value() const {
    return by_makespan_ ? std::max(lpt(false), lpt(true)) : std::max(end_of(false), end_of(true));
  }

  double lpt(bool gpu) const {
    const auto free = gpu ? ready_.gpu_free : ready_.cpu_free;
    std::priority_queue<double, std::vector<double>, std::greater<>> workers(free.begin(), free.end());
    double end = 0;
    for (auto t = longest_[gpu].rbegin(); t != longest_[gpu].rend(); ++t) {
      const double done = workers.top() + t->first;
      workers.pop();
      workers.push(done);
      end = std::max(end, done);
    }
    return end;
  }

  // The next task to leave: the longest while it alone makes the class late, else the one that loses least.
  int leaving(bool from) const {
    if (longest_[from].empty()) return -1;
    const auto& [length, task] = *longest_[from].rbegin();
    if (length > load_[from] / count_[from] && time(task, !from) < length) return task;
    const int cheapest = cheapest_[from].begin()->second;
    return time(cheapest, !from) == kNever ? -1 : cheapest;
  }

  const TwoClass& classes_;
  const ReadySet& ready_;
  const bool by_makespan_;
  std::vector<bool> to_gpu_;
  double load_[2], count_[2];
  std::set<std::pair<double, int>> longest_[2];   // per class: (time there, task)
  std::set<std::pair<double, int>> cheapest_[2];  // per class: (time elsewhere / time there, task)
};

std::vector<bool> by_estimate(const TwoClass& classes, const ReadySet& ready) {
  return Balanced(classes, ready, false).solve();
}

std::vector<bool> by_makespan(const TwoClass& classes, const ReadySet& ready) {
  return Balanced(classes, ready, true).solve();
}

MadePolicy make(ParameterReader& reader, std::string_view name, Assigner assign) {
  ClassAssignmentParameters parameters{name, assign, Rank::lpt};
  read_rank(reader, parameters.rank);
  if (Status s = reader.finish(); !s) return s;
  return made_online<ClassAssignment>(parameters);
}

}  // namespace

MadePolicy make_balanced_estimate(ParameterReader& reader) {
  return make(reader, "balanced-estimate", by_estimate);
}
MadePolicy make_balanced_makespan(ParameterReader& reader) {
  return make(reader, "balanced-makespan", by_makespan);
}

}  // namespace mkmd::scheduler
