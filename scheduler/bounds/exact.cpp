// SPDX-License-Identifier: Apache-2.0
// The exact optimum as a mixed integer program: which device runs each task, in which order the tasks of a
// device run, and when. Zhou and Liu give every task a position on its device, and a transfer a product of
// two position variables. Here each pair of tasks has one order variable, and each edge one variable per pair
// of devices. That is the same program with far fewer variables.
#include "scheduler/bounds/bounds.hpp"
#include "scheduler/bounds/linear_program.hpp"

#include <algorithm>

namespace mkmd::scheduler {
namespace {

class Exact {
public:
  explicit Exact(const ProblemIndex& index)
      : index_(index), tasks_(index.task_count()), devices_(index.device_count()) {}

  Result<ExactOptimum> solve_within(double seconds) {
    // The solver looks at the clock between its steps only, and one step on a program larger than this takes
    // longer than anyone waits for.
    constexpr size_t kMostRows = 20000;
    const std::vector<std::vector<bool>> before = reachable();
    size_t rows = 0;
    for (int a = 0; a < tasks_; ++a)
      for (int b = a + 1; b < tasks_; ++b)
        if (!before[a][b] && !before[b][a]) rows += 2 * static_cast<size_t>(devices_);
    if (rows > kMostRows)
      return Status::internal("too large: " + std::to_string(tasks_) + " tasks on " +
                              std::to_string(devices_) + " devices");
    // No schedule needs longer than one after the other on the slowest devices with every transfer in
    // between.
    for (int t = 0; t < tasks_; ++t) {
      double slowest = 0;
      for (int d = 0; d < devices_; ++d)
        if (index_.eligible(t, d)) slowest = std::max(slowest, index_.duration(t, d, 1));
      horizon_ += slowest;
      for (const Input& in : index_.inputs(t))
        horizon_ += longest_transfer(in);
    }
    // Numbers near one are what the solver's tolerances are made for.
    scale_ = horizon_ > 0 ? 1 / horizon_ : 1;
    add_tasks();
    for (int t = 0; t < tasks_; ++t)
      for (const Input& in : index_.inputs(t))
        add_edge(in, t);
    add_orders();
    Result<LpSolution> solution = solve(lp_, seconds);
    if (!solution) return solution.status();
    ExactOptimum optimum;
    optimum.optimal = solution->optimal;
    optimum.lower_bound = solution->lower_bound / scale_;
    if (solution->values.empty()) return optimum;
    optimum.makespan = solution->objective / scale_;
    for (int t = 0; t < tasks_; ++t)
      for (int d = 0; d < devices_; ++d)
        if (on_[t][d] >= 0 && solution->values[on_[t][d]] > 0.5) optimum.device.push_back(d);
    return optimum;
  }

private:
  using Term = LinearProgram::Term;

  double longest_transfer(const Input& in) const {
    double longest = 0;
    const double bytes = index_.item(in.item).bytes;
    for (int a = 0; a < index_.memory_count(); ++a)
      for (int b = 0; b < index_.memory_count(); ++b)
        if (a != b && bytes > 0) longest = std::max(longest, index_.transfer_time(a, b, bytes));
    return longest;
  }

  // Data may reach a memory by way of others when that is faster than the direct link.
  double shortest(int from, int to, double bytes) const {
    const int memories = index_.memory_count();
    std::vector<double> time(memories, kNever);
    time[from] = 0;
    for (int round = 0; round < memories; ++round)
      for (int a = 0; a < memories; ++a)
        for (int b = 0; b < memories; ++b)
          if (a != b) time[b] = std::min(time[b], time[a] + index_.transfer_time(a, b, bytes));
    return time[to];
  }

  void add_duration(std::vector<Term>& terms, int t) const {
    for (int d = 0; d < devices_; ++d)
      if (on_[t][d] >= 0) terms.push_back({on_[t][d], scale_ * index_.duration(t, d, 1)});
  }

  void add_tasks() {
    makespan_ = lp_.add_column(0, kNever, 1);
    on_.assign(tasks_, std::vector<int>(devices_, -1));
    for (int t = 0; t < tasks_; ++t) {
      std::vector<Term> one;
      for (int d = 0; d < devices_; ++d)
        if (index_.eligible(t, d)) one.push_back({on_[t][d] = lp_.add_column(0, 1, 0, true), 1});
      lp_.equal(std::move(one), 1);
      start_.push_back(lp_.add_column(0, 1));
      std::vector<Term> end{{start_[t], 1}, {makespan_, -1}};
      add_duration(end, t);
      lp_.at_most(std::move(end), 0);
    }
  }

  // start(t) >= start(src) + duration(src) + transfer. The transfer is zero or depends on the two memories.
  // For every pair, transfer >= T_ab (on_a(src) + on_b(t) - 1), which is what the product would say.
  void add_edge(const Input& in, int t) {
    const double bytes = index_.item(in.item).bytes;
    std::vector<Term> wait{{start_[in.src], 1}, {start_[t], -1}};
    add_duration(wait, in.src);
    if (bytes > 0 && index_.memory_count() > 1) {
      const int transfer = lp_.add_column(0, kNever);
      wait.push_back({transfer, 1});
      for (int a = 0; a < index_.memory_count(); ++a)
        for (int b = 0; b < index_.memory_count(); ++b) {
          bool here = false;
          for (const Slice& s : index_.resident(in.item))
            here = here || s.mem == b;
          if (a == b || here) continue;
          const double time = scale_ * shortest(a, b, bytes);
          std::vector<Term> pair{{transfer, 1}};
          for (int d = 0; d < devices_; ++d) {
            if (index_.memory_of(d) == a && on_[in.src][d] >= 0) pair.push_back({on_[in.src][d], -time});
            if (index_.memory_of(d) == b && on_[t][d] >= 0) pair.push_back({on_[t][d], -time});
          }
          lp_.at_least(std::move(pair), -time);
        }
    }
    lp_.at_most(std::move(wait), 0);
  }

  std::vector<std::vector<bool>> reachable() const {
    std::vector<std::vector<bool>> before(tasks_, std::vector<bool>(tasks_));
    for (int t : index_.order())
      for (const Input& in : index_.inputs(t)) {
        before[in.src][t] = true;
        for (int s = 0; s < tasks_; ++s)
          if (before[s][in.src]) before[s][t] = true;
      }
    return before;
  }

  // Two tasks on one device: one ends before the other starts. Only for pairs that the graph does not order.
  void add_orders() {
    const std::vector<std::vector<bool>> before = reachable();
    for (int a = 0; a < tasks_; ++a)
      for (int b = a + 1; b < tasks_; ++b) {
        if (before[a][b] || before[b][a] || index_.mean_time(a) == 0 || index_.mean_time(b) == 0) continue;
        const int a_first = lp_.add_column(0, 1, 0, true);
        for (int d = 0; d < devices_; ++d) {
          if (on_[a][d] < 0 || on_[b][d] < 0) continue;
          // start(b) >= start(a) + time(a, d) unless b is first or one of them is elsewhere; and the reverse.
          const double ta = scale_ * index_.duration(a, d, 1), tb = scale_ * index_.duration(b, d, 1);
          const double big_a = 1 + ta, big_b = 1 + tb;
          lp_.at_most(
              {{start_[a], 1}, {start_[b], -1}, {a_first, big_a}, {on_[a][d], big_a}, {on_[b][d], big_a}},
              3 * big_a - ta);
          lp_.at_most(
              {{start_[b], 1}, {start_[a], -1}, {a_first, -big_b}, {on_[a][d], big_b}, {on_[b][d], big_b}},
              2 * big_b - tb);
        }
      }
  }

  const ProblemIndex& index_;
  const int tasks_, devices_;
  LinearProgram lp_;
  double horizon_ = 0, scale_ = 1;
  int makespan_ = 0;
  std::vector<std::vector<int>> on_;
  std::vector<int> start_;
};

}  // namespace

Result<ExactOptimum> exact_optimum(const ProblemIndex& index, double seconds) {
  return Exact(index).solve_within(seconds);
}

}  // namespace mkmd::scheduler
