// SPDX-License-Identifier: Apache-2.0
#include "scheduler/policies/class_list.hpp"

#include <algorithm>

namespace mkmd::scheduler {

void ClassList::begin(const OnlineState& state) {
  const ProblemIndex& index = *state.index;
  classes_.emplace(index);
  priority_.assign(index.task_count(), 0.0);
  const auto order = index.order();
  for (auto t = order.rbegin(); t != order.rend(); ++t) {
    for (const Output& o : index.outputs(*t))
      priority_[*t] = std::max(priority_[*t], priority_[o.dst]);
    priority_[*t] += classes_->class_time(*t, to_gpu_[*t]);
  }
  for (auto& list : list_)
    list.clear();
}

void ClassList::ready(int task, const OnlineState&) {
  list_[to_gpu_[task]].insert({-priority_[task], task});
}

std::optional<Work> ClassList::next(const OnlineState& state) {
  for (int worker : classes_->workers()) {
    if (!state.idle(worker)) continue;
    const bool gpu = classes_->is_gpu(worker);
    for (auto entry = list_[gpu].begin(); entry != list_[gpu].end(); ++entry)
      if (state.may_run(entry->second, worker)) {
        const int t = entry->second;
        list_[gpu].erase(entry);
        return Work{t, worker};
      }
    if (steal_ && gpu)
      if (const int t = victim(worker, state); t >= 0) return Work{t, worker, 0, 1, true};
  }
  return std::nullopt;
}

int ClassList::victim(int worker, const OnlineState& state) const {
  int best = -1;
  for (int d : classes_->cpu_devices()) {
    if (state.queue[d].empty()) continue;
    const OnlinePiece& piece = state.queue[d].front();
    if (piece.start > state.now || !state.may_run(piece.task, worker)) continue;
    const double end = state.now + state.index->duration(piece.task, worker, 1);
    if (end >= piece.expected_end - 1e-12 * std::max(1.0, piece.expected_end)) continue;
    if (best < 0 || std::pair(-priority_[piece.task], piece.task) < std::pair(-priority_[best], best))
      best = piece.task;
  }
  return best;
}

}  // namespace mkmd::scheduler
