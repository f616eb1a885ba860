// SPDX-License-Identifier: Apache-2.0
// What must hold for every policy on every problem, tried on thousands of random ones.
#include "scheduler/generators/random_graph.hpp"
#include "tests/scheduler/data.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace mkmd::scheduler {
namespace {

constexpr int kProblems = 2400;

// The policy as `all` tries it: the one that searches long is told to search less.
std::string spec_of(const PolicyInfo& policy) {
  return std::string(policy.name) + (policy.name == "heteroprio-refined" ? ":flips=20" : "");
}

TEST(Properties, EverySchedulePassesTheValidator) {
  for (int seed = 0; seed < kProblems; ++seed) {
    const Problem problem = random_problem(seed);
    for (const PolicyInfo& policy : policies()) {
      valid_schedule(problem, spec_of(policy), "seed " + std::to_string(seed));
      if (HasFailure()) return;
    }
  }
}

TEST(Properties, SchedulesAreValidWithoutTimeToPlan) {
  Options options;
  options.planning_budget = 0;
  for (int seed = 0; seed < 200; ++seed) {
    const Problem problem = random_problem(seed);
    for (const char* name : {"mkmd", "mkmd-slices", "mkmd-malleable", "heteroprio-refined"}) {
      Result<Schedule> schedule = (*make_policy(name))->schedule(problem, options);
      ASSERT_TRUE(schedule.ok()) << schedule.status().message();
      EXPECT_TRUE(validate(problem, *schedule).ok()) << name << " seed " << seed;
    }
  }
}

// Tests count on it: a launch that random-cuts leaves whole is one that may not be split.
TEST(Properties, RandomCutsDividesWhatCanBeDivided) {
  int tasks_of_two_units = 0;
  for (int seed = 0; seed < 200; ++seed) {
    Problem problem = random_problem(seed);
    for (size_t t = 0; t < problem.graph.tasks.size(); t += 2)
      problem.graph.tasks[t].units = 2;
    Result<ProblemIndex> index = ProblemIndex::make(problem);
    ASSERT_TRUE(index.ok()) << index.status().message();
    const Schedule schedule = valid_schedule(problem, "random-cuts", "seed " + std::to_string(seed));
    std::vector<std::set<int>> devices(problem.graph.tasks.size());
    for (const auto& e : schedule.entries)
      devices[e.task].insert(e.device);
    for (int t = 0; t < index->task_count(); ++t) {
      int eligible = 0;
      for (int d = 0; d < index->device_count(); ++d)
        eligible += index->eligible(t, d) ? 1 : 0;
      if (!problem.graph.tasks[t].divisible || problem.graph.tasks[t].units == 1 ||
          index->mean_time(t) <= 0 || eligible < 2)
        continue;
      EXPECT_GE(devices[t].size(), 2U) << "seed " << seed << " task " << t;
      tasks_of_two_units += problem.graph.tasks[t].units == 2 ? 1 : 0;
    }
  }
  EXPECT_GT(tasks_of_two_units, 100);
}

TEST(Properties, TheExchangeFormatKeepsEverything) {
  for (int seed = 0; seed < 200; ++seed) {
    const Problem problem = random_problem(seed);
    const Schedule schedule = valid_schedule(problem, "mkmd-malleable");
    nlohmann::json json = to_json(problem);
    json["schedule"] = to_json(schedule, problem);
    Result<Document> back = parse_document(json.dump());
    ASSERT_TRUE(back.ok()) << back.status().message();
    EXPECT_EQ(nlohmann::json(to_json(back->problem)), nlohmann::json(to_json(problem)));
    EXPECT_EQ(nlohmann::json(to_json(*back->schedule, back->problem)), json["schedule"]);
    EXPECT_TRUE(validate(back->problem, *back->schedule).ok());
  }
}

TEST(Properties, SchedulesAreDeterministic) {
  for (int seed = 0; seed < 100; ++seed) {
    const Problem problem = random_problem(seed);
    for (const PolicyInfo& policy : policies()) {
      const std::string name = spec_of(policy);
      EXPECT_EQ(to_json(valid_schedule(problem, name), problem),
                to_json(valid_schedule(problem, name), problem));
    }
  }
}

// One wrong thing in a valid schedule. Returns false when the schedule has nothing of the kind to spoil.
bool spoil(Schedule& s, const Problem& problem, int how, Random& random) {
  const auto pick = [&](const auto& list) { return random.below(static_cast<int>(list.size())); };
  std::vector<int> working;  // entries that take time
  for (size_t i = 0; i < s.entries.size(); ++i)
    if (s.entries[i].end > s.entries[i].start) working.push_back(static_cast<int>(i));
  const double makespan = s.makespan();
  switch (how) {
  case 0:
    s.entries.erase(s.entries.begin() + pick(s.entries));
    return true;
  case 1:
    s.entries.push_back(s.entries[pick(s.entries)]);
    return true;
  case 2:
    if (working.empty()) return false;
    s.entries[working[pick(working)]].end += 0.01 * makespan;
    return true;
  case 3:
    s.entries[pick(s.entries)].device = static_cast<int>(problem.platform.devices.size());
    return true;
  case 4:
    s.entries[pick(s.entries)].hi -= 0.01;
    return true;
  case 5: {  // a piece at the time of another on the same device
    for (int a : working)
      for (int b : working)
        if (a != b && s.entries[a].device == s.entries[b].device) {
          Entry& e = s.entries[a];
          const double length = e.end - e.start;
          e.start = s.entries[b].start;
          e.end = e.start + length;
          return true;
        }
    return false;
  }
  case 6: {  // without the transfer its consumer waits for
    if (s.transfers.empty()) return false;
    const Transfer gone = s.transfers[pick(s.transfers)];
    std::erase_if(s.transfers, [&](const Transfer& t) {
      return t.buffer == gone.buffer && t.producer == gone.producer && t.dst_mem == gone.dst_mem;
    });
    return true;
  }
  case 7: {
    if (s.transfers.empty()) return false;
    Transfer& t = s.transfers[pick(s.transfers)];
    t.end = t.start + 0.5 * (t.end - t.start);
    return true;
  }
  case 8: {  // two transfers on one port
    for (Transfer& a : s.transfers)
      for (const Transfer& b : s.transfers)
        if (&a != &b && a.src_mem == b.src_mem) {
          const double length = a.end - a.start;
          a.start = b.start;
          a.end = a.start + length;
          return true;
        }
    return false;
  }
  case 9:
    s.entries[pick(s.entries)].start = -1;
    return true;
  case 10: {  // all of a task's successors now come too early
    for (const Edge& edge : problem.graph.edges)
      for (Entry& e : s.entries)
        if (e.task == edge.src && e.end > e.start) {
          e.start += makespan;
          e.end += makespan;
          return true;
        }
    return false;
  }
  default: {
    if (s.transfers.empty()) return false;
    s.transfers[pick(s.transfers)].buffer += "?";
    return true;
  }
  }
}

TEST(Properties, TheValidatorRejectsSpoiltSchedules) {
  Random random(1);
  int spoilt[12] = {};
  for (int seed = 0; seed < 300; ++seed) {
    const Problem problem = random_problem(seed);
    for (const char* name : {"mkmd", "mkmd-malleable"}) {
      const Schedule good = valid_schedule(problem, name);
      for (int how = 0; how < 12; ++how) {
        Schedule bad = good;
        if (!spoil(bad, problem, how, random)) continue;
        ++spoilt[how];
        EXPECT_FALSE(validate(problem, bad).ok()) << "seed " << seed << " " << name << " mutation " << how;
      }
    }
  }
  for (int how = 0; how < 12; ++how)
    EXPECT_GE(spoilt[how], 100) << how;
}

}  // namespace
}  // namespace mkmd::scheduler
