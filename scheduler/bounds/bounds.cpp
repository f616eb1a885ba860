// SPDX-License-Identifier: Apache-2.0
#include "scheduler/bounds/bounds.hpp"

#include "scheduler/bounds/area.hpp"
#include "scheduler/bounds/linear_program.hpp"
#include "scheduler/two_class.hpp"

#include <algorithm>
#include <optional>

namespace mkmd::scheduler {
namespace {

// How much of a task all devices of a memory do per second.
double rate_in(const ProblemIndex& index, int t, int mem) {
  double rate = 0, limit = 0;
  for (int d = 0; d < index.device_count(); ++d) {
    if (index.memory_of(d) != mem || !index.eligible(t, d)) continue;
    rate += 1 / index.time(t, d);
    limit = index.bandwidth_limit(t, d);
  }
  return limit > 0 ? std::min(rate, limit / index.task(t).bytes) : rate;
}

double fastest(const ProblemIndex& index, int t) {
  double best = kNever, rate = 0;
  for (int d = 0; d < index.device_count(); ++d) {
    if (!index.eligible(t, d)) continue;
    const double time = index.time(t, d);
    best = std::min(best, index.duration(t, d, 1));
    if (time > 0) rate += 1 / time;
    if (time == 0) return 0;
  }
  if (!index.task(t).divisible) return best;
  if (!index.shares_bandwidth()) return 1 / rate;
  rate = 0;
  for (int mem = 0; mem < index.memory_count(); ++mem)
    rate += rate_in(index, t, mem);
  return 1 / rate;
}

// Times are given to the solver in units of about the bound: its tolerances are made for numbers near one.
double time_scale(const ProblemIndex& index) {
  double sum = 0;
  for (int t = 0; t < index.task_count(); ++t)
    sum += fastest(index, t);
  return sum > 0 ? index.device_count() / sum : 1;
}

// The time of a task of which this share runs on the CPUs.
double shared_time(const TwoClass& classes, int t, double cpu_share) {
  return (cpu_share > 0 ? cpu_share * classes.cpu_time(t) : 0) +
         (cpu_share < 1 ? (1 - cpu_share) * classes.gpu_time(t) : 0);
}

// Large graphs have so much slack that dependences cost nothing. The area bound's own solution solves the
// mixed program, too, if it has no path longer than the bound. There the tasks off the long paths are on
// the CPUs.
std::optional<MixedBound> area_is_mixed(const ProblemIndex& index, const TwoClass& classes) {
  const int tasks = index.task_count();
  const auto best = [&](int t) { return std::min(classes.cpu_time(t), classes.gpu_time(t)); };
  std::vector<double> start(tasks),
      through(tasks);  // the longest path through a task, each on its best class
  for (int t : index.order())
    for (const Input& in : index.inputs(t))
      start[t] = std::max(start[t], start[in.src] + best(in.src));
  const auto order = index.order();
  for (auto t = order.rbegin(); t != order.rend(); ++t) {
    for (const Output& o : index.outputs(*t))
      through[*t] = std::max(through[*t], through[o.dst]);
    through[*t] += best(*t);
  }
  for (int t = 0; t < tasks; ++t)
    through[t] += start[t];
  AreaSolution area = area_bound(index, classes, through);
  std::vector<double> end(tasks);
  for (int t : index.order()) {
    for (const Input& in : index.inputs(t))
      end[t] = std::max(end[t], end[in.src]);
    end[t] += shared_time(classes, t, area.cpu_share[t]);
    if (end[t] > area.bound * (1 + 1e-12)) return std::nullopt;
  }
  return MixedBound{area.bound, std::move(area.cpu_share)};
}

// What devices compute, and what memories send and receive, all fits into the bound.
class AreaProgram {
public:
  explicit AreaProgram(const ProblemIndex& index)
      : index_(index), scale_(time_scale(index)), bound_(lp_.add_column(0, kNever, 1)),
        share_(index.task_count(), std::vector<int>(index.device_count(), -1)), work_(index.device_count()),
        out_(index.memory_count()), in_(index.memory_count()) {
    for (int t = 0; t < index.task_count(); ++t) {
      Terms whole;
      for (int d = 0; d < index.device_count(); ++d) {
        if (!index.eligible(t, d)) continue;
        share_[t][d] = lp_.add_column(0, 1);
        whole.push_back({share_[t][d], 1});
        if (index.time(t, d) > 0) work_[d].push_back({share_[t][d], scale_ * index.time(t, d)});
      }
      lp_.equal(std::move(whole), 1);
    }
  }

  void add_transfers(int item) {
    double per_byte = kNever;
    for (int m = 0; m < index_.memory_count(); ++m)
      per_byte = std::min(per_byte, receive(item, m));
    const int home = only_memory_of(index_.item(item).producer);
    if (home >= 0 && index_.resident(item).empty()) send(item, home, per_byte);
  }

  Result<double> bound(double seconds) && {
    for (auto* lanes : {&work_, &out_, &in_})
      for (Terms& terms : *lanes) {
        if (terms.empty()) continue;
        terms.push_back({bound_, -1});
        lp_.at_most(std::move(terms), 0);
      }
    Result<LpSolution> solution = solve(lp_, seconds);
    if (!solution) return solution.status();
    return solution->objective / scale_;
  }

private:
  using Terms = std::vector<LinearProgram::Term>;

  // The part that consumers in a memory need, less the part produced there, must come in. Returns seconds per
  // byte of the fastest link into the memory.
  double receive(int i, int mem) {
    const Item& item = index_.item(i);
    double per_byte = kNever;
    for (int from = 0; from < index_.memory_count(); ++from)
      if (from != mem) per_byte = std::min(per_byte, index_.per_byte(from, mem));
    const int moved = lp_.add_column(0, 1);
    in_[mem].push_back({moved, scale_ * item.bytes * per_byte});
    double resident = 0;
    for (const Slice& s : index_.resident(i))
      if (s.mem == mem) resident += s.hi - s.lo;
    for (const Output& o : index_.outputs(item.producer)) {
      if (o.item != i) continue;
      Terms row{{moved, 1}};
      for (int d = 0; d < index_.device_count(); ++d)
        if (index_.memory_of(d) == mem) {
          if (share_[item.producer][d] >= 0) row.push_back({share_[item.producer][d], 1});
          if (share_[o.dst][d] >= 0) row.push_back({share_[o.dst][d], -1});
        }
      lp_.at_least(std::move(row), -resident);
    }
    return per_byte;
  }

  // -1: it may run in several.
  int only_memory_of(int task) const {
    int only = -1;
    for (int d = 0; d < index_.device_count(); ++d) {
      if (share_[task][d] < 0) continue;
      if (only >= 0 && only != index_.memory_of(d)) return -1;
      only = index_.memory_of(d);
    }
    return only;
  }

  // What comes from a producer that can only be in one memory leaves there at least once. What one consumer
  // uses elsewhere is either disjoint slices or, if anything, the whole.
  void send(int i, int home, double per_byte) {
    const Item& item = index_.item(i);
    const int leaves = lp_.add_column(0, 1);
    out_[home].push_back({leaves, scale_ * item.bytes * per_byte});
    for (const Output& o : index_.outputs(item.producer)) {
      if (o.item != i) continue;
      Terms row{{leaves, 1}};
      for (int d = 0; d < index_.device_count(); ++d)
        if (index_.memory_of(d) != home && share_[o.dst][d] >= 0) row.push_back({share_[o.dst][d], -1});
      lp_.at_least(std::move(row), 0);
    }
  }

  const ProblemIndex& index_;
  LinearProgram lp_;
  const double scale_;
  const int bound_;                      // columns from here on
  std::vector<std::vector<int>> share_;  // by task and device; -1: it may not run there
  std::vector<Terms> work_, out_, in_;   // by device; by memory
};

}  // namespace

double critical_path(const ProblemIndex& index) {
  std::vector<double> end(index.task_count());
  double longest = 0;
  for (int t : index.order()) {
    double start = 0;
    // A row edge lets the pieces of its consumer start one by one. Only its consumer's own work is certain
    // to follow nothing. So such an edge orders nothing when both can be divided.
    for (const Input& in : index.inputs(t))
      if (!in.row || !index.task(in.src).divisible || !index.task(t).divisible)
        start = std::max(start, end[in.src]);
    end[t] = start + fastest(index, t);
    longest = std::max(longest, end[t]);
  }
  return longest;
}

Result<double> area_transfer_bound(const ProblemIndex& index, bool with_transfers, double seconds) {
  AreaProgram program(index);
  for (int i = 0; with_transfers && index.memory_count() > 1 && i < index.item_count(); ++i) {
    if (index.item(i).bytes > 0) program.add_transfers(i);
  }
  return std::move(program).bound(seconds);
}

Result<MixedBound> mixed_bound(const ProblemIndex& index, double seconds) {
  const TwoClass classes(index);
  if (std::optional<MixedBound> area = area_is_mixed(index, classes)) return std::move(*area);
  LinearProgram lp;
  const int tasks = index.task_count();
  const double scale = time_scale(index);
  const int bound = lp.add_column(0, kNever, 1);
  std::vector<int> x(tasks), start(tasks);
  std::vector<double> p(tasks), q(tasks);
  std::vector<LinearProgram::Term> cpu, gpu;
  double gpu_all = 0;
  for (int t = 0; t < tasks; ++t) {
    p[t] = scale * classes.cpu_time(t);
    q[t] = scale * classes.gpu_time(t);
    x[t] = lp.add_column(q[t] == kNever ? 1 : 0, p[t] == kNever ? 0 : 1);
    start[t] = lp.add_column(0, kNever);
    if (p[t] == kNever) p[t] = 0;
    if (q[t] == kNever) q[t] = 0;
    cpu.push_back({x[t], p[t]});
    gpu.push_back({x[t], -q[t]});
    gpu_all += q[t];
  }
  cpu.push_back({bound, -static_cast<double>(classes.cpus())});
  gpu.push_back({bound, -static_cast<double>(classes.gpus())});
  lp.at_most(std::move(cpu), 0);
  lp.at_most(std::move(gpu), -gpu_all);
  for (int t = 0; t < tasks; ++t) {
    // start + x p + (1 - x) q <= start of the next, or the bound
    if (index.outputs(t).empty()) lp.at_most({{start[t], 1}, {x[t], p[t] - q[t]}, {bound, -1}}, -q[t]);
    for (const Output& o : index.outputs(t))
      lp.at_most({{start[t], 1}, {x[t], p[t] - q[t]}, {start[o.dst], -1}}, -q[t]);
  }
  Result<LpSolution> solution = solve(lp, seconds);
  if (!solution) return solution.status();
  MixedBound mixed;
  mixed.bound = solution->objective / scale;
  for (int t = 0; t < tasks; ++t)
    mixed.cpu_share.push_back(std::clamp(solution->values[x[t]], 0.0, 1.0));
  return mixed;
}

}  // namespace mkmd::scheduler
