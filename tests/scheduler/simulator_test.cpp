// SPDX-License-Identifier: Apache-2.0
// The simulator: devices that change their speed or disappear, plans replayed in a world that differs.
#include "scheduler/simulator.hpp"

#include "scheduler/generators/random_graph.hpp"
#include "scheduler/generators/tiled.hpp"
#include "tests/scheduler/data.hpp"

#include <set>

namespace mkmd::scheduler {
namespace {

Problem two_devices(int tasks, double seconds) {
  Problem p;
  p.platform = {{{"a", DeviceClass::cpu, 0}, {"b", DeviceClass::cpu, 0}}, 1e9, 0, {}, {}};
  for (int i = 0; i < tasks; ++i) {
    Task t;
    t.id = i;
    t.name = "t";
    t.times = {seconds, seconds};
    p.graph.tasks.push_back(t);
  }
  return p;
}

Schedule run(const Problem& problem, const char* spec, const SimulationOptions& options) {
  const ProblemIndex index = *ProblemIndex::make(problem);
  const std::unique_ptr<OnlinePolicy> policy = (*make_policy(spec))->online();
  Result<Schedule> schedule = simulate(index, *policy, options);
  EXPECT_TRUE(schedule.ok()) << schedule.status().message();
  return schedule.ok() ? std::move(*schedule) : Schedule{};
}

TEST(Simulator, ADeviceSlowsDownInTheMiddleOfATask) {
  SimulationOptions options;
  options.speeds = {{0, 1.5, 0.5}, {1, 1.5, 0.5}};
  // Two tasks of a second each on both: the second has half a second at full speed and half at half speed.
  EXPECT_NEAR(run(two_devices(4, 1), "eager", options).makespan(), 2.5, 1e-12);
}

TEST(Simulator, WhatALostDeviceHadIsDoneElsewhere) {
  SimulationOptions options;
  options.losses = {{1, 1.5}};
  const Schedule schedule = run(two_devices(4, 1), "eager", options);
  EXPECT_NEAR(schedule.makespan(), 3, 1e-12);
  EXPECT_EQ(schedule.entries.size(), 4u);
  ASSERT_EQ(schedule.aborted.size(), 1u);
  EXPECT_EQ(schedule.aborted[0].device, 1);

  const Problem cholesky = tiled_factorisation(Factorisation::cholesky, 6);
  options.losses = {{20, 0.01}, {3, 0.02}, {21, 0.03}};
  for (const char* policy : {"heteroprio", "heteroprio-dep", "dualhp", "h-ratio", "eager", "mkmd-online"}) {
    const Schedule survived = run(cholesky, policy, options);
    EXPECT_EQ(survived.entries.size(), cholesky.graph.tasks.size()) << policy;
    for (const Entry& e : survived.entries)
      for (const DeviceLoss& loss : options.losses)
        EXPECT_FALSE(e.device == loss.device && e.end > loss.time) << policy;
  }
}

TEST(Simulator, LosingTheOnlyDeviceIsAnError) {
  const Problem problem = two_devices(4, 1);
  const ProblemIndex index = *ProblemIndex::make(problem);
  SimulationOptions options;
  options.losses = {{0, 0.5}, {1, 0.5}};
  const std::unique_ptr<OnlinePolicy> policy = (*make_policy("eager"))->online();
  EXPECT_FALSE(simulate(index, *policy, options).ok());
}

TEST(Simulator, ReplayedPlansAreValid) {
  for (int seed = 0; seed < 200; ++seed) {
    const Problem problem = random_problem(seed);
    const Schedule plan = valid_schedule(problem, "heft");
    const Result<Schedule> replayed = replay(problem, plan);
    ASSERT_TRUE(replayed.ok());
    EXPECT_TRUE(validate(problem, *replayed).ok());
  }
}

TEST(Simulator, SchedulesInOrderStayInOrder) {
  for (const char* name : kMkmdGraphs) {
    const Problem predicted = load_graph(std::string("mkmd_") + name);
    const Schedule plan = valid_schedule(predicted, "single:1");
    EXPECT_TRUE(plan.in_order);
    const Problem actual = with_jitter(predicted, 0.2, 1);
    const Result<Schedule> replayed = replay(actual, plan);
    ASSERT_TRUE(replayed.ok());
    EXPECT_TRUE(replayed->in_order);
    EXPECT_TRUE(validate(actual, *replayed).ok()) << name;
    EXPECT_DOUBLE_EQ(replayed->makespan(), valid_schedule(actual, "single:1").makespan()) << name;
  }
}

TEST(Simulator, InOrderNothingOverlaps) {
  const Problem problem = two_devices(2, 1);
  Schedule schedule;
  schedule.entries = {{0, 0, 0, 1}, {1, 1, 0.5, 1.5}};
  EXPECT_TRUE(validate(problem, schedule).ok());
  schedule.in_order = true;
  EXPECT_NE(validate(problem, schedule).message().find("in order"), std::string::npos);
  schedule.entries[1] = {1, 1, 1, 2};
  EXPECT_TRUE(validate(problem, schedule).ok());
}

TEST(Simulator, WrongRatesGiveValidSchedulesOfTheActualProblem) {
  for (int seed = 0; seed < 200; ++seed) {
    const Problem predicted = random_problem(seed), actual = with_rate_error(predicted, 0.5, seed);
    SimulationOptions options;
    options.actual = &actual;
    for (const char* policy : {"heteroprio", "h-ratio", "dmdar", "mkmd-online", "ad-part"}) {
      const Status valid = validate(actual, run(predicted, policy, options));
      EXPECT_TRUE(valid.ok()) << policy << " seed " << seed << ": " << valid.message();
    }
  }
}

TEST(Simulator, JitterIsOfEverySingleTime) {
  const Problem problem = two_devices(4, 1);
  const Problem actual = with_jitter(problem, 0.05, 1);
  std::set<double> factors;
  for (size_t t = 0; t < problem.graph.tasks.size(); ++t) {
    for (size_t d = 0; d < 2; ++d) {
      const double factor = actual.graph.tasks[t].times[d] / problem.graph.tasks[t].times[d];
      EXPECT_NEAR(factor, 1, 0.05);
      factors.insert(factor);
    }
  }
  EXPECT_EQ(factors.size(), 2 * problem.graph.tasks.size());
}

}  // namespace
}  // namespace mkmd::scheduler
