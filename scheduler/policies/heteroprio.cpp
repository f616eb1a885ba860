// SPDX-License-Identifier: Apache-2.0
#include "scheduler/policies/heteroprio.hpp"

#include "scheduler/policies/online_adapter.hpp"

#include <algorithm>
#include <tuple>

namespace mkmd::scheduler {
namespace {

// A restart must end strictly earlier, and not by a rounding error.
bool earlier(double a, double b) {
  return a < b - 1e-12 * std::max(1.0, b);
}

}  // namespace

std::string_view HeteroPrio::name() const {
  switch (parameters_.spoliation) {
  case Spoliation::latest:
    return "heteroprio-indep";
  case Spoliation::any_time:
    return "heteroprio-dep";
  case Spoliation::priority:
    return "heteroprio";
  }
  return "heteroprio";
}

void HeteroPrio::begin(const OnlineState& state) {
  classes_.emplace(*state.index);
  priority_ = rank_tasks(*state.index, *classes_, parameters_.rank);
  queue_.clear();
  arrivals_ = 0;
}

void HeteroPrio::ready(int task, const OnlineState&) {
  if (parameters_.rank == Rank::fifo) priority_[task] = -(arrivals_++);
  queue_.push(task, classes_->factor(task), priority_[task]);
}

int HeteroPrio::first_ready(int worker, const OnlineState& state) const {
  return queue_.first(classes_->is_gpu(worker), [&](int t) { return state.may_run(t, worker); });
}

// The running task of the other class that `worker` would restart; -1: none.
int HeteroPrio::victim(int worker, const OnlineState& state) const {
  const bool gpu = classes_->is_gpu(worker);
  int best = -1;
  std::tuple<double, double, int> best_key;
  for (int d : gpu ? classes_->cpu_devices() : classes_->gpu_devices()) {
    if (state.queue[d].empty()) continue;
    const OnlinePiece& piece = state.queue[d].front();
    // What still waits for its inputs is left alone: two workers could take it from each other for ever.
    if (piece.start > state.now || !state.may_run(piece.task, worker)) continue;
    if (!earlier(state.now + state.index->duration(piece.task, worker, 1), piece.expected_end)) continue;
    double order = 0;
    if (parameters_.spoliation == Spoliation::latest) order = -piece.expected_end;
    if (parameters_.spoliation == Spoliation::any_time) order = (gpu ? -1 : 1) * classes_->factor(piece.task);
    const std::tuple<double, double, int> key{order, -priority_[piece.task], piece.task};
    if (best >= 0 && key >= best_key) continue;
    best = piece.task;
    best_key = key;
  }
  return best;
}

Work HeteroPrio::take(int task, int worker) {
  queue_.erase(task, classes_->factor(task), priority_[task]);
  return {task, worker, 0, 1, false};
}

std::optional<Work> HeteroPrio::next(const OnlineState& state) {
  for (int worker : classes_->workers()) {
    if (!state.idle(worker)) continue;
    if (parameters_.spoliation == Spoliation::any_time) {
      if (std::optional<Work> work = next_any_time(worker, state)) return work;
      continue;
    }
    if (const int t = first_ready(worker, state); t >= 0) return take(t, worker);
    if (const int t = victim(worker, state); t >= 0) return Work{t, worker, 0, 1, true};
  }
  return std::nullopt;
}

// Algorithm 2 of the paper.
std::optional<Work> HeteroPrio::next_any_time(int worker, const OnlineState& state) {
  const bool gpu = classes_->is_gpu(worker);
  const int fresh = first_ready(worker, state), running = victim(worker, state);
  if (fresh < 0 && running < 0) return std::nullopt;
  bool restart = fresh < 0;
  if (fresh >= 0 && running >= 0) {
    const double a = classes_->factor(fresh), b = classes_->factor(running);
    restart = gpu ? b > a : b < a;  // a ready task wins a tie
  }
  // Only `worker` is known to end the running task earlier, and with devices of a class alike it is its
  // favourite.
  if (restart) return Work{running, worker, 0, 1, true};
  const int t = fresh;
  int chosen = worker;
  const double here = classes_->class_time(t, gpu), there = classes_->class_time(t, !gpu);
  if (there < here)
    for (int other : gpu ? classes_->cpu_devices() : classes_->gpu_devices())
      if (state.idle(other) && state.may_run(t, other)) {
        chosen = other;
        break;
      }
  return take(t, chosen);
}

namespace {

MadePolicy make(ParameterReader& reader, Spoliation spoliation) {
  HeteroPrioParameters parameters;
  parameters.spoliation = spoliation;
  read_rank(reader, parameters.rank);
  if (Status s = reader.finish(); !s) return s;
  return made_online<HeteroPrio>(parameters);
}

}  // namespace

MadePolicy make_heteroprio_indep(ParameterReader& reader) {
  return make(reader, Spoliation::latest);
}
MadePolicy make_heteroprio_dep(ParameterReader& reader) {
  return make(reader, Spoliation::any_time);
}
MadePolicy make_heteroprio(ParameterReader& reader) {
  return make(reader, Spoliation::priority);
}

}  // namespace mkmd::scheduler
