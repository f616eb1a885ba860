// SPDX-License-Identifier: Apache-2.0
// Every bound is below the exact optimum, the optimum below every policy, and proven ratios hold.
#include "scheduler/bounds/bounds.hpp"

#include "scheduler/bounds/area.hpp"
#include "scheduler/generators/random_graph.hpp"
#include "scheduler/generators/tiled.hpp"
#include "tests/scheduler/data.hpp"

#include <algorithm>
#include <cmath>

namespace mkmd::scheduler {
namespace {

constexpr double kRounding = 1 + 1e-6;

// Policies quick enough to try on every problem.
std::vector<std::string> quick_policies() {
  std::vector<std::string> names;
  for (const PolicyInfo& p : policies())
    names.push_back(std::string(p.name) + (p.name == "heteroprio-refined" ? ":flips=20" : ""));
  return names;
}

TEST(Bounds, AreBelowEveryPolicy) {
  for (int seed = 0; seed < 300; ++seed) {
    const Problem problem = random_problem(seed + 10000);
    const ProblemIndex index = *ProblemIndex::make(problem);
    const double bound =
        std::max({critical_path(index), *area_transfer_bound(index), *area_transfer_bound(index, false)});
    EXPECT_GE(*area_transfer_bound(index) * kRounding, *area_transfer_bound(index, false)) << seed;
    for (const std::string& name : quick_policies())
      EXPECT_LE(bound, valid_schedule(problem, name).makespan() * kRounding) << name << " seed " << seed;
  }
}

TEST(Bounds, LimitOfTheMatrixEquations) {
  double sum = 0;
  for (const char* name : kMkmdGraphs) {
    const Problem problem = load_graph(std::string("mkmd_") + name);
    sum += std::log(valid_schedule(problem, "single:1").makespan() /
                    *area_transfer_bound(*ProblemIndex::make(problem)));
  }
  EXPECT_NEAR(std::exp(sum / std::size(kMkmdGraphs)), 2.182, 0.002);
}

TEST(Bounds, GreedyAreaIsTheLinearProgram) {
  for (int seed = 0; seed < 300; ++seed) {
    const Problem problem = random_problem(seed, {6, 30, true, true});
    const ProblemIndex index = *ProblemIndex::make(problem);
    const double greedy = area_bound(index, TwoClass(index)).bound;
    EXPECT_NEAR(greedy, *area_transfer_bound(index), 1e-7 * greedy) << seed;
    EXPECT_LE(greedy, mixed_bound(index)->bound * kRounding) << seed;
  }
}

// Within no time: where the area bound's solution has no long path, it solves the mixed program.
TEST(Bounds, MixedIsTheAreaOfLargeGraphs) {
  const Problem problem = tiled_factorisation(Factorisation::lu, 24);
  const ProblemIndex index = *ProblemIndex::make(problem);
  const TwoClass classes(index);
  const MixedBound mixed = *mixed_bound(index, 1e-3);
  EXPECT_DOUBLE_EQ(mixed.bound, area_bound(index, classes).bound);
  EXPECT_NEAR(mixed.bound, 1.730218, 1e-6);  // by the linear program, which takes 18 s
  double cpu = 0, gpu = 0, longest = 0;
  std::vector<double> end(index.task_count());
  for (int t : index.order()) {
    const double share = mixed.cpu_share[t];
    cpu += share * classes.cpu_time(t);
    gpu += (1 - share) * classes.gpu_time(t);
    for (const Input& in : index.inputs(t))
      end[t] = std::max(end[t], end[in.src]);
    end[t] += share * classes.cpu_time(t) + (1 - share) * classes.gpu_time(t);
    longest = std::max(longest, end[t]);
  }
  EXPECT_LE(cpu, mixed.bound * classes.cpus() * kRounding);
  EXPECT_LE(gpu, mixed.bound * classes.gpus() * kRounding);
  EXPECT_LE(longest, mixed.bound * kRounding);
}

TEST(ExactOptimum, IsThatOfTheCaseStudy) {
  const Problem problem = load_graph("emsoft_table2");
  const ExactOptimum exact = *exact_optimum(*ProblemIndex::make(problem), 20);
  EXPECT_TRUE(exact.optimal);
  EXPECT_NEAR(exact.makespan, 6.020e-3, 1e-8);
}

TEST(ExactOptimum, IsThatOfTheWorstCases) {
  for (const auto& [graph, optimum] : {std::pair("fig1_rho100", 5.0), std::pair("theorem8", 1.0)}) {
    const Problem problem = load_graph(graph);
    EXPECT_NEAR(exact_optimum(*ProblemIndex::make(problem), 20)->makespan, optimum, 1e-5) << graph;
  }
}

TEST(ExactOptimum, LiesBetweenBoundsAndPolicies) {
  int solved = 0;
  for (int seed = 0; seed < 60; ++seed) {
    Problem problem = random_problem(seed + 500, {3, 6});
    for (Task& t : problem.graph.tasks)
      t.divisible = false;
    for (Edge& e : problem.graph.edges)
      e.access = Access::full;
    const ProblemIndex index = *ProblemIndex::make(problem);
    const Result<ExactOptimum> exact = exact_optimum(index, 2);
    ASSERT_TRUE(exact.ok()) << exact.status().message();
    if (!exact->optimal) continue;
    ++solved;
    EXPECT_LE(critical_path(index), exact->makespan * kRounding) << seed;
    for (const std::string& name : quick_policies())
      EXPECT_LE(exact->makespan, valid_schedule(problem, name).makespan() * kRounding)
          << name << " seed " << seed;
  }
  EXPECT_GE(solved, 50);
}

// Independent tasks on two classes: ratios proven by Beaumont, Eyraud-Dubois, Kumar; Bleuse et al.; Canon et
// al.
TEST(ProvenRatios, HoldForIndependentTasks) {
  const double phi = (1 + std::sqrt(5.0)) / 2;
  for (int seed = 0; seed < 40; ++seed) {
    Problem problem = random_problem(seed + 900, {4, 7, true, true});
    problem.graph.edges.clear();
    const ProblemIndex index = *ProblemIndex::make(problem);
    const TwoClass classes(index);
    const Result<ExactOptimum> exact = exact_optimum(index, 2);
    ASSERT_TRUE(exact.ok());
    if (!exact->optimal) continue;
    const double heteroprio = classes.cpus() == 1 && classes.gpus() == 1   ? phi
                              : classes.cpus() == 1 || classes.gpus() == 1 ? 1 + phi
                                                                           : 2 + std::sqrt(2.0);
    for (const auto& [policy, ratio] :
         {std::pair("heteroprio-indep", heteroprio), std::pair("dualhp:rank=lpt", 2.0),
          std::pair("balanced-estimate", 2.0), std::pair("balanced-makespan", 2.0)})
      EXPECT_LE(valid_schedule(problem, policy).makespan(), ratio * exact->makespan * kRounding)
          << policy << " seed " << seed;
  }
}

}  // namespace
}  // namespace mkmd::scheduler
