// SPDX-License-Identifier: Apache-2.0
// heteroprio-refined: the start is the schedule of HeteroPrio's runs, or the mixed linear program rounded
// and repaired by spoliation. The shorter one is taken, once it is listed again without aborted runs. Then
// tasks on the schedule's critical chain change class, a few at a time, while that shortens it or costs
// next to nothing. It plans thousands of tasks for seconds: for schedules that are used many times.
#include "scheduler/bounds/bounds.hpp"
#include "scheduler/generators/random_graph.hpp"
#include "scheduler/policies/class_list.hpp"
#include "scheduler/policies/factories.hpp"
#include "scheduler/policies/heteroprio.hpp"
#include "scheduler/simulator.hpp"

#include <algorithm>
#include <chrono>

namespace mkmd::scheduler {
namespace {

constexpr int kMostForProgram = 5000;  // tasks: beyond, the linear program takes longer than the rest

struct RefinedParameters {
  Rank rank = Rank::min;  // of the first HeteroPrio run at the start
  int flips = 1500;       // changes tried (never more than 20 per task)
};

class Refinement {
public:
  Refinement(const ProblemIndex& index, const RefinedParameters& parameters, double budget)
      : index_(index), parameters_(parameters), budget_(budget), classes_(index) {}

  Result<Schedule> run() {
    const auto begin = std::chrono::steady_clock::now();
    Result<Schedule> start = first();
    if (!start) return start.status();
    best_ = std::move(*start);
    best_.algorithm = kName;
    to_gpu_.assign(index_.task_count(), false);
    for (const Entry& e : best_.entries)
      to_gpu_[e.task] = classes_.is_gpu(e.device);
    Result<Schedule> listed = list(to_gpu_);
    if (!listed) return listed.status();
    current_ = std::move(*listed);
    keep_best();
    Random random(1);
    std::vector<int> chain, roomy, on_cpu;
    bool stale = true;
    const int flips = std::min(parameters_.flips, 20 * index_.task_count());
    for (int i = 0; i < flips; ++i) {
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
      if (spent.count() > budget_) break;
      if (stale) {
        chain = critical_chain();
        roomy = with_room();
        on_cpu.clear();
        for (int t : chain)
          if (!to_gpu_[t]) on_cpu.push_back(t);
        stale = false;
      }
      if (chain.empty()) break;
      std::vector<bool> tried = to_gpu_;
      for (int k = 1 + random.below(3); k > 0; --k) {
        const int dice = random.below(4);
        const std::vector<int>& from = dice == 0 && !on_cpu.empty()  ? on_cpu
                                       : dice >= 2 && !roomy.empty() ? roomy
                                                                     : chain;
        const int t = from[random.below(static_cast<int>(from.size()))];
        tried[t] = !tried[t];
      }
      // Spoliation repairs what a change made worse elsewhere; the repaired allocation is listed without it.
      Result<Schedule> repaired = list(tried, true);
      if (!repaired) return repaired.status();
      for (const Entry& e : repaired->entries)
        tried[e.task] = classes_.is_gpu(e.device);
      Result<Schedule> next = list(tried);
      if (!next) return next.status();
      // A little worse is accepted in the beginning, equal always: it moves the chain elsewhere.
      const double tolerance = 0.5 / index_.task_count() * (1 - static_cast<double>(i) / flips);
      if (next->makespan() > current_.makespan() * (1 + tolerance)) continue;
      current_ = std::move(*next);
      to_gpu_ = std::move(tried);
      stale = true;
      keep_best();
    }
    return std::move(best_);
  }

private:
  static constexpr std::string_view kName = "heteroprio-refined";

  Result<Schedule> list(const std::vector<bool>& to_gpu, bool steal = false) const {
    ClassList policy(kName, to_gpu, steal);
    return simulate(index_, policy);
  }

  // The best of several starts: HeteroPrio with each rank, and the rounded solution of the mixed linear
  // program where there is a solver. Each is tried as it is, and listed again without aborted runs.
  Result<Schedule> first() const {
    Result<Schedule> best = Status::internal("no start");
    std::vector<Rank> ranks{parameters_.rank};
    for (Rank rank : {Rank::min, Rank::area, Rank::avg})
      if (rank != parameters_.rank) ranks.push_back(rank);
    for (Rank rank : ranks) {
      HeteroPrio heteroprio({rank, Spoliation::priority});
      if (Status s = consider(simulate(index_, heteroprio), best); !s) return s;
    }
    if (index_.task_count() > kMostForProgram || classes_.cpus() == 0 || classes_.gpus() == 0) return best;
    const Result<MixedBound> mixed = mixed_bound(index_, budget_);
    if (!mixed) return best;
    for (double limit : {0.3, 0.5, 0.7}) {
      std::vector<bool> to_gpu(index_.task_count());
      for (int t = 0; t < index_.task_count(); ++t)
        to_gpu[t] =
            classes_.cpu_time(t) == kNever || (classes_.gpu_time(t) != kNever && mixed->cpu_share[t] < limit);
      if (Status s = consider(list(to_gpu, true), best); !s) return s;
    }
    return best;
  }

  Status consider(Result<Schedule> run, Result<Schedule>& best) const {
    if (!run) return run.status();
    std::vector<bool> to_gpu(index_.task_count());
    for (const Entry& e : run->entries)
      to_gpu[e.task] = classes_.is_gpu(e.device);
    Result<Schedule> listed = list(to_gpu);
    if (!listed) return listed.status();
    for (Result<Schedule>* s : {&run, &listed})
      if (!best || (*s)->makespan() < best->makespan()) best = std::move(*s);
    return {};
  }

  void keep_best() {
    if (current_.makespan() < best_.makespan()) best_ = current_;
  }

  // GPU tasks that could run on a CPU from where they start now and still be in time for what follows.
  std::vector<int> with_room() const {
    std::vector<double> after(index_.task_count());
    const auto order = index_.order();
    for (auto t = order.rbegin(); t != order.rend(); ++t)
      for (const Output& o : index_.outputs(*t))
        after[*t] = std::max(after[*t], after[o.dst] + classes_.class_time(o.dst, to_gpu_[o.dst]));
    std::vector<int> tasks;
    const double makespan = current_.makespan();
    for (const Entry& e : current_.entries)
      if (to_gpu_[e.task] && e.start + classes_.cpu_time(e.task) + after[e.task] <= makespan)
        tasks.push_back(e.task);
    return tasks;
  }

  // The chain from the last task to end back to the start. Each task waited for the next one: a
  // predecessor, or the task before it on its device. Only tasks that both classes may run.
  std::vector<int> critical_chain() const {
    const int tasks = index_.task_count();
    std::vector<const Entry*> entry(tasks);
    std::vector<std::vector<const Entry*>> on(index_.device_count());
    const Entry* last = nullptr;
    for (const Entry& e : current_.entries) {
      entry[e.task] = &e;
      on[e.device].push_back(&e);
      if (!last || e.end > last->end) last = &e;
    }
    std::vector<int> chain;
    const double slack = 1e-9 * current_.makespan();
    for (const Entry* e = last; e && static_cast<int>(chain.size()) < tasks;) {
      if (classes_.cpu_time(e->task) != kNever && classes_.gpu_time(e->task) != kNever && e->end > e->start)
        chain.push_back(e->task);
      const Entry* cause = nullptr;
      for (const Input& in : index_.inputs(e->task))
        if (!cause || entry[in.src]->end > cause->end) cause = entry[in.src];
      const auto& device = on[e->device];  // in the order of their ends
      const auto here = std::lower_bound(device.begin(), device.end(), e->end,
                                         [](const Entry* a, double end) { return a->end < end; });
      if (here != device.begin() && (!cause || (*std::prev(here))->end > cause->end + slack))
        cause = *std::prev(here);
      e = cause && cause->end <= e->start + slack && cause != e ? cause : nullptr;
    }
    return chain;
  }

  const ProblemIndex& index_;
  const RefinedParameters parameters_;
  const double budget_;
  const TwoClass classes_;
  std::vector<bool> to_gpu_;
  Schedule best_, current_;
};

class HeteroPrioRefined : public Policy {
public:
  explicit HeteroPrioRefined(const RefinedParameters& parameters) : parameters_(parameters) {}

  Result<Schedule> schedule(const Problem& problem, const Options& options) const override {
    Result<ProblemIndex> index = ProblemIndex::make(problem);
    if (!index) return index.status();
    return Refinement(*index, parameters_, options.planning_budget).run();
  }

private:
  RefinedParameters parameters_;
};

}  // namespace

MadePolicy make_heteroprio_refined(ParameterReader& reader) {
  RefinedParameters parameters;
  read_rank(reader, parameters.rank);
  reader.integer("flips", parameters.flips, 0, 1000000);
  if (Status s = reader.finish(); !s) return s;
  return made<HeteroPrioRefined>(parameters);
}

}  // namespace mkmd::scheduler
