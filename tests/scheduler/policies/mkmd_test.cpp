// SPDX-License-Identifier: Apache-2.0
// The MKMD policies against the reference numbers of the eleven graphs of the MKMD paper.
#include "scheduler/bounds/bounds.hpp"
#include "scheduler/simulator.hpp"
#include "tests/scheduler/data.hpp"

#include <cmath>

namespace mkmd::scheduler {
namespace {

// Geometric mean, over the eleven graphs, of the speed-up over in-order execution on the fastest device.
double mean_speed_up(const std::string& spec) {
  double sum = 0;
  for (const char* name : kMkmdGraphs) {
    const Problem problem = load_graph(std::string("mkmd_") + name);
    sum += std::log(valid_schedule(problem, "single:GTX760", name).makespan() /
                    valid_schedule(problem, spec, name).makespan());
  }
  return std::exp(sum / std::size(kMkmdGraphs));
}

TEST(Single, TakesTheTimeOfTheTable2Platform) {
  const std::pair<const char*, double> in_order[] = {
      {"ABE", 3477},     {"BiCGSTAB", 11.1}, {"Commutator", 8289}, {"GABE", 4173},
      {"Gramian", 2102}, {"Jacobi", 30.6},   {"Lyapunov", 1413},   {"CARE", 4183},
      {"Stein", 1403},   {"SVD", 1410},      {"Sylvester", 1420}};
  for (const auto& [name, ms] : in_order) {
    const Problem problem = load_graph(std::string("mkmd_") + name);
    EXPECT_NEAR(valid_schedule(problem, "single:1").makespan() * 1e3, ms, 0.005 * ms) << name;
  }
}

TEST(Mkmd, ReachesTheReferenceSpeedUps) {
  EXPECT_NEAR(mean_speed_up("mkmd-coarse"), 1.457, 0.005);
  EXPECT_GE(mean_speed_up("mkmd"), 1.883);
  EXPECT_GE(mean_speed_up("mkmd-slices"), 1.962);
  EXPECT_GE(mean_speed_up("mkmd-malleable"), 2.057);
  EXPECT_GE(mean_speed_up("mkmd-online"), 2.0);
}

TEST(Mkmd, AMillisecondOfPlanningLeavesATwofoldSpeedUp) {
  double sum = 0;
  for (const char* name : kMkmdGraphs) {
    const Problem problem = load_graph(std::string("mkmd_") + name);
    sum += std::log(valid_schedule(problem, "single:GTX760").makespan() /
                    (valid_schedule(problem, "mkmd-malleable:chunks=2").makespan() + 1e-3));
  }
  EXPECT_GE(std::exp(sum / std::size(kMkmdGraphs)), 2.0);
}

TEST(Mkmd, FineIsNeverWorseThanCoarse) {
  for (const char* name : kMkmdGraphs) {
    const Problem problem = load_graph(std::string("mkmd_") + name);
    const double coarse = valid_schedule(problem, "mkmd-coarse").makespan();
    EXPECT_LE(valid_schedule(problem, "mkmd").makespan(), coarse * (1 + 1e-9)) << name;
    EXPECT_LE(valid_schedule(problem, "mkmd-slices").makespan(), coarse * (1 + 1e-9)) << name;
  }
}

// Rates wrong by up to 20 %: a plan made in advance loses what correcting it online keeps. Planning time is
// not charged.
TEST(Mkmd, OnlineCorrectionSurvivesWrongRates) {
  constexpr int kSeeds = 5;
  double speed_up = 0, limit = 0;
  for (const char* name : kMkmdGraphs) {
    const Problem predicted = load_graph(std::string("mkmd_") + name);
    const ProblemIndex index = *ProblemIndex::make(predicted);
    const std::unique_ptr<OnlinePolicy> policy = (*make_policy("mkmd-online"))->online();
    for (int seed = 1; seed <= kSeeds; ++seed) {
      const Problem actual = with_rate_error(predicted, 0.2, seed);
      SimulationOptions options;
      options.actual = &actual;
      Result<Schedule> schedule = simulate(index, *policy, options);
      ASSERT_TRUE(schedule.ok()) << schedule.status().message();
      const Status valid = validate(actual, *schedule);
      EXPECT_TRUE(valid.ok()) << valid.message();
      const double in_order = valid_schedule(actual, "single:1").makespan();
      speed_up += std::log(in_order / schedule->makespan());
      limit += std::log(in_order / *area_transfer_bound(*ProblemIndex::make(actual)));
    }
  }
  const double count = kSeeds * std::size(kMkmdGraphs);
  EXPECT_GE(std::exp(speed_up / count), 1.97);
  EXPECT_GE(std::exp((speed_up - limit) / count), 0.92);
}

TEST(Mkmd, ResidencyIsUsed) {
  Problem problem = load_graph("mkmd_BiCGSTAB");
  const double cold = valid_schedule(problem, "mkmd-malleable").makespan();
  problem.graph.resident.push_back({"A", 1, 0, 1});
  const double warm = valid_schedule(problem, "mkmd-malleable").makespan();
  EXPECT_LT(warm, 0.6 * cold);
}

TEST(Mkmd, SharedMemoryNeedsNoTransfers) {
  Problem problem = load_graph("mkmd_Jacobi");
  for (Device& d : problem.platform.devices)
    d.mem = 0;
  for (const char* spec : {"mkmd-coarse", "mkmd", "mkmd-slices", "mkmd-malleable"}) {
    const Schedule schedule = valid_schedule(problem, spec);
    EXPECT_TRUE(schedule.transfers.empty()) << spec;
    EXPECT_TRUE(schedule.merges.empty()) << spec;
  }
}

}  // namespace
}  // namespace mkmd::scheduler
