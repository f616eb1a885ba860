// SPDX-License-Identifier: Apache-2.0
// Memory bandwidth as a shared resource. What is bound by it gains nothing from devices that work in the
// same memory, or only what is left.
#include "scheduler/bounds/bounds.hpp"
#include "scheduler/generators/random_graph.hpp"
#include "scheduler/simulator.hpp"
#include "tests/scheduler/data.hpp"

#include <nlohmann/json.hpp>

namespace mkmd::scheduler {
namespace {

constexpr const char* kDividing[] = {"mkmd",        "mkmd-slices", "mkmd-malleable",
                                     "mkmd-online", "dawl",        "ad-part"};

// Tasks of a second and of 1e9 bytes each on two devices in one memory.
Problem in_one_memory(double bw_one, double bw_all, int tasks = 1, double bytes = 1e9) {
  Problem p;
  p.platform.devices = {{"a", DeviceClass::cpu, 0}, {"b", DeviceClass::gpu, 0}};
  p.platform.memories = {{0, bw_one, bw_all}};
  for (int i = 0; i < tasks; ++i) {
    Task t;
    t.id = i;
    t.name = "copy";
    t.times = {1, 1};
    t.divisible = true;
    t.bytes = bytes;
    p.graph.tasks.push_back(t);
  }
  return p;
}

Schedule simulated(const Problem& problem, const char* spec, const SimulationOptions& options = {}) {
  const ProblemIndex index = *ProblemIndex::make(problem);
  Result<Schedule> schedule = simulate(index, *(*make_policy(spec))->online(), options);
  EXPECT_TRUE(schedule.ok()) << schedule.status().message();
  return schedule.ok() ? std::move(*schedule) : Schedule{};
}

TEST(SharedBandwidth, NothingIsSplitWhereOneDeviceUsesAllOfIt) {
  const Problem problem = in_one_memory(1e9, 1e9);
  for (const char* policy : kDividing) {
    const Schedule schedule = valid_schedule(problem, policy);
    EXPECT_NEAR(schedule.makespan(), 1, 1e-9) << policy;
    for (const Entry& e : schedule.entries)
      EXPECT_EQ(e.device, schedule.entries[0].device) << policy;
  }
}

TEST(SharedBandwidth, ASplitGainsWhatOneDeviceLeaves) {
  const Problem problem = in_one_memory(1e9, 1.5e9);
  for (const char* policy : {"mkmd", "mkmd-slices", "mkmd-malleable", "mkmd-malleable:chunks=4"})
    EXPECT_NEAR(valid_schedule(problem, policy).makespan(), 1 / 1.5, 1e-6) << policy;
  for (const char* policy : {"mkmd-online", "dawl", "ad-part"}) {
    const double makespan = valid_schedule(problem, policy).makespan();
    EXPECT_LT(makespan, 0.85) << policy;
    EXPECT_GE(makespan, (1 - 1e-9) / 1.5) << policy;
  }
  EXPECT_NEAR(critical_path(*ProblemIndex::make(problem)), 1 / 1.5, 1e-9);
  const Problem unlimited = in_one_memory(0, 0);
  EXPECT_NEAR(valid_schedule(unlimited, "mkmd-malleable").makespan(), 0.5, 1e-9);
}

TEST(SharedBandwidth, TimesThatNoMemoryAllowsAreRaised) {
  const Problem alone = in_one_memory(0.5e9, 0);
  EXPECT_NEAR(valid_schedule(alone, "eager").makespan(), 2, 1e-12);
  EXPECT_NEAR(valid_schedule(alone, "mkmd-malleable").makespan(), 1, 1e-9);  // each at its own 0.5e9
  EXPECT_NEAR(valid_schedule(in_one_memory(0, 0.5e9), "heft").makespan(), 2, 1e-12);
}

TEST(SharedBandwidth, TasksSideBySideSlowEachOther) {
  EXPECT_NEAR(simulated(in_one_memory(1e9, 1e9, 2), "eager").makespan(), 2, 1e-9);
  EXPECT_NEAR(simulated(in_one_memory(1e9, 1.5e9, 2), "eager").makespan(), 2 / 1.5, 1e-9);
  EXPECT_NEAR(simulated(in_one_memory(1e9, 1e9, 2, 0.5e9), "eager").makespan(), 1, 1e-9);

  // Half a second of 1e9 bytes/s beside a second of half that. Both are slowed to 2/3 until the first has
  // ended at 0.75 s, with the second half done.
  Problem mixed = in_one_memory(0, 1e9, 2);
  mixed.graph.tasks[0].times = {0.5, kNever};
  mixed.graph.tasks[0].bytes = 0.5e9;
  mixed.graph.tasks[1].bytes = 0.5e9;
  const Schedule schedule = simulated(mixed, "eager");
  ASSERT_EQ(schedule.entries.size(), 2u);
  EXPECT_NEAR(schedule.entries[0].end, 0.75, 1e-9);
  EXPECT_NEAR(schedule.entries[1].end, 1.25, 1e-9);

  // A device at half its speed asks for half the bytes.
  SimulationOptions slow;
  slow.speeds = {{0, 0.5, 0.5}, {1, 0.5, 0.5}};
  EXPECT_NEAR(simulated(in_one_memory(0, 1e9, 2), "eager", slow).makespan(), 2, 1e-9);
  slow.losses = {{1, 0.5}};
  EXPECT_NEAR(simulated(in_one_memory(0, 1e9, 2), "eager", slow).makespan(), 0.5 + 1.5 + 2, 1e-9);
}

TEST(SharedBandwidth, WithoutAllThreeNumbersNothingChanges) {
  RandomShape shape;
  shape.bandwidth = true;
  for (int seed = 0; seed < 30; ++seed) {
    const Problem full = random_problem(seed, shape);
    Problem plain = full, no_bytes = full, no_limits = full;
    plain.platform.memories.clear();
    no_limits.platform.memories.clear();
    for (Problem* p : {&plain, &no_bytes})
      for (Task& t : p->graph.tasks)
        t.bytes = 0;
    for (const PolicyInfo& policy : policies()) {
      const std::string spec =
          std::string(policy.name) + (policy.name == "heteroprio-refined" ? ":flips=20" : "");
      const nlohmann::json expected = to_json(valid_schedule(plain, spec), plain);
      for (const Problem* p : {&no_bytes, &no_limits})
        EXPECT_TRUE(nlohmann::json(to_json(valid_schedule(*p, spec), plain)) == expected)
            << spec << " " << seed;
    }
  }
}

TEST(SharedBandwidth, EveryScheduleKeepsToIt) {
  RandomShape shape;
  shape.bandwidth = true;
  for (int seed = 0; seed < 250; ++seed) {
    const Problem problem = random_problem(seed, shape);
    const double bound = critical_path(*ProblemIndex::make(problem));
    for (const PolicyInfo& policy : policies()) {
      const std::string spec =
          std::string(policy.name) + (policy.name == "heteroprio-refined" ? ":flips=20" : "");
      EXPECT_GE(valid_schedule(problem, spec, "seed " + std::to_string(seed)).makespan(), bound * (1 - 1e-9))
          << spec << " seed " << seed;
      if (HasFailure()) return;
    }
  }
}

TEST(SharedBandwidth, TheValidatorSeesASplitThatIsTooFast) {
  const Problem problem = in_one_memory(1e9, 1.5e9);
  Schedule schedule;
  schedule.entries = {{0, 0, 0, 0.5, 0, 0.5}, {0, 1, 0, 0.5, 0.5, 1}};
  EXPECT_NE(validate(problem, schedule).message().find("more bytes"), std::string::npos);
  for (Entry& e : schedule.entries)
    e.end = 1 / 1.5;
  EXPECT_TRUE(validate(problem, schedule).ok()) << validate(problem, schedule).message();
  schedule.entries = {{0, 0, 0, 0.5, 0, 0.5}, {0, 1, 0.4, 0.9, 0.5, 1}};  // too fast only where both run
  EXPECT_FALSE(validate(problem, schedule).ok());
  schedule.entries[1].start = 0.5;
  schedule.entries[1].end = 1;
  EXPECT_TRUE(validate(problem, schedule).ok());
}

TEST(SharedBandwidth, TheExchangeFormatKeepsAndChecksIt) {
  const nlohmann::json good = to_json(in_one_memory(1e9, 1.5e9));
  EXPECT_EQ(nlohmann::json(to_json(document_from_json(good)->problem)), good);
  EXPECT_EQ(good["platform"]["memories"],
            nlohmann::json::parse(R"([{"mem":0,"bw_one":1e9,"bw_all":1.5e9}])"));
  const auto error = [&](const char* place, const nlohmann::json& value) {
    nlohmann::json bad = good;
    bad[nlohmann::json::json_pointer(place)] = value;
    return document_from_json(bad).status().message();
  };
  const std::tuple<const char*, nlohmann::json, const char*> cases[] = {
      {"/graph/tasks/0/bytes", -1, "graph.tasks[0].bytes: must be 0 or more"},
      {"/graph/tasks/0/bytes", "1", "graph.tasks[0].bytes: must be a number"},
      {"/platform/memories/0/bw_all", -1, "platform.memories[0].bw_all: must be 0 or more"},
      {"/platform/memories/0/bw_one", -1, "platform.memories[0].bw_one: must be 0 or more"},
      {"/platform/memories/0/mem", 3, "platform.memories[0].mem: no device has memory 3"},
      {"/platform/memories", 3, "platform.memories: must be a list"},
      {"/platform/memories/1", good["platform"]["memories"][0],
       "platform.memories[1].mem: memory 0 is there twice"},
  };
  for (const auto& [place, value, message] : cases)
    EXPECT_EQ(error(place, value), message);
}

}  // namespace
}  // namespace mkmd::scheduler
