// SPDX-License-Identifier: Apache-2.0
#include "scheduler/policies/class_assignment.hpp"

#include <algorithm>

namespace mkmd::scheduler {

void ClassAssignment::begin(const OnlineState& state) {
  classes_.emplace(*state.index);
  priority_ = rank_tasks(*state.index, *classes_, parameters_.rank);
  ready_.clear();
  cpu_list_.clear();
  gpu_list_.clear();
  arrivals_ = 0;
}

void ClassAssignment::ready(int task, const OnlineState&) {
  if (parameters_.rank == Rank::fifo) priority_[task] = -(arrivals_++);
  ready_.push_back(task);
  stale_ = true;
}

void ClassAssignment::assign(const OnlineState& state) {
  stale_ = false;
  cpu_list_.clear();
  gpu_list_.clear();
  std::vector<double> free[2];
  double load[2] = {0, 0};
  for (bool gpu : {false, true})
    for (int d : gpu ? classes_->gpu_devices() : classes_->cpu_devices()) {
      if (!state.alive[d]) continue;
      free[gpu].push_back(state.available(d) - state.now);
      load[gpu] += free[gpu].back();
    }
  std::vector<bool> to_gpu;
  if (free[0].empty() || free[1].empty()) {
    to_gpu.assign(ready_.size(), free[0].empty());
  } else {
    to_gpu = parameters_.assign(*classes_, {ready_, load[0], load[1], free[0], free[1]});
  }
  for (size_t i = 0; i < ready_.size(); ++i)
    (to_gpu[i] ? gpu_list_ : cpu_list_).push_back(ready_[i]);
  for (bool gpu : {false, true}) {
    std::vector<int>& list = gpu ? gpu_list_ : cpu_list_;
    const auto value = [&](int t) {
      return parameters_.rank == Rank::lpt ? classes_->class_time(t, gpu) : priority_[t];
    };
    std::sort(list.begin(), list.end(),
              [&](int a, int b) { return value(a) != value(b) ? value(a) > value(b) : a < b; });
  }
}

int ClassAssignment::take(std::vector<int>& list, int worker, const OnlineState& state) {
  for (size_t i = 0; i < list.size(); ++i) {
    const int t = list[i];
    if (!state.may_run(t, worker)) continue;
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
    ready_.erase(std::find(ready_.begin(), ready_.end(), t));
    return t;
  }
  return -1;
}

std::optional<Work> ClassAssignment::next(const OnlineState& state) {
  if (ready_.empty()) return std::nullopt;
  bool any = false;
  for (int worker : classes_->workers())
    any = any || state.idle(worker);
  if (!any) return std::nullopt;
  if (stale_) assign(state);
  for (int worker : classes_->workers()) {
    if (!state.idle(worker)) continue;
    const int t = take(classes_->is_gpu(worker) ? gpu_list_ : cpu_list_, worker, state);
    if (t >= 0) return Work{t, worker};
  }
  // Nothing runs and nothing could be started: a task pinned to a lost or unsuitable device of its class.
  // Take it wherever it may run.
  for (const auto& queue : state.queue)
    if (!queue.empty()) return std::nullopt;
  for (int worker : classes_->workers()) {
    int t = take(gpu_list_, worker, state);
    if (t < 0) t = take(cpu_list_, worker, state);
    if (t >= 0) return Work{t, worker};
  }
  return std::nullopt;
}

}  // namespace mkmd::scheduler
