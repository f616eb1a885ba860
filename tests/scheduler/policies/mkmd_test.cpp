// SPDX-License-Identifier: Apache-2.0
// The MKMD policies against the reference numbers of the eleven graphs of the MKMD paper.
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
}

TEST(Mkmd, FineIsNeverWorseThanCoarse) {
  for (const char* name : kMkmdGraphs) {
    const Problem problem = load_graph(std::string("mkmd_") + name);
    const double coarse = valid_schedule(problem, "mkmd-coarse").makespan();
    EXPECT_LE(valid_schedule(problem, "mkmd").makespan(), coarse * (1 + 1e-9)) << name;
    EXPECT_LE(valid_schedule(problem, "mkmd-slices").makespan(), coarse * (1 + 1e-9)) << name;
  }
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
