// SPDX-License-Identifier: Apache-2.0
// What must hold for every policy on every problem, tried on thousands of random ones.
#include "scheduler/generators/random_graph.hpp"
#include "tests/scheduler/data.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace mkmd::scheduler {
namespace {

// Instrumented code takes ten times as long; a memory fault of a policy shows in any of many problems.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kProblems = 300;
#else
constexpr int kProblems = 2400;
#endif

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
using Spoil = bool (*)(Schedule& s, const Problem& problem, Random& random);

int pick(Random& random, const auto& list) {
  return random.below(static_cast<int>(list.size()));
}

bool takes_time(const Entry& e) {
  return e.end > e.start;
}

bool without_an_entry(Schedule& s, const Problem&, Random& random) {
  s.entries.erase(s.entries.begin() + pick(random, s.entries));
  return true;
}

bool an_entry_twice(Schedule& s, const Problem&, Random& random) {
  s.entries.push_back(s.entries[pick(random, s.entries)]);
  return true;
}

bool a_longer_entry(Schedule& s, const Problem&, Random& random) {
  std::vector<Entry*> working;
  for (Entry& e : s.entries)
    if (takes_time(e)) working.push_back(&e);
  if (working.empty()) return false;
  working[pick(random, working)]->end += 0.01 * s.makespan();
  return true;
}

bool an_unknown_device(Schedule& s, const Problem& problem, Random& random) {
  s.entries[pick(random, s.entries)].device = static_cast<int>(problem.platform.devices.size());
  return true;
}

bool a_smaller_share(Schedule& s, const Problem&, Random& random) {
  s.entries[pick(random, s.entries)].hi -= 0.01;
  return true;
}

bool two_pieces_at_once(Schedule& s, const Problem&, Random&) {
  for (Entry& a : s.entries)
    for (const Entry& b : s.entries)
      if (&a != &b && takes_time(a) && takes_time(b) && a.device == b.device) {
        const double length = a.end - a.start;
        a.start = b.start;
        a.end = a.start + length;
        return true;
      }
  return false;
}

bool without_a_transfer(Schedule& s, const Problem&, Random& random) {  // which its consumer waits for
  if (s.transfers.empty()) return false;
  const Transfer gone = s.transfers[pick(random, s.transfers)];
  std::erase_if(s.transfers, [&](const Transfer& t) {
    return t.buffer == gone.buffer && t.producer == gone.producer && t.dst_mem == gone.dst_mem;
  });
  return true;
}

bool a_shorter_transfer(Schedule& s, const Problem&, Random& random) {
  if (s.transfers.empty()) return false;
  Transfer& t = s.transfers[pick(random, s.transfers)];
  t.end = t.start + 0.5 * (t.end - t.start);
  return true;
}

bool two_transfers_on_one_port(Schedule& s, const Problem&, Random&) {
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

bool a_start_before_all(Schedule& s, const Problem&, Random& random) {
  s.entries[pick(random, s.entries)].start = -1;
  return true;
}

bool successors_too_early(Schedule& s, const Problem& problem, Random&) {
  const double makespan = s.makespan();
  for (const Edge& edge : problem.graph.edges)
    for (Entry& e : s.entries)
      if (e.task == edge.src && takes_time(e)) {
        e.start += makespan;
        e.end += makespan;
        return true;
      }
  return false;
}

bool an_unknown_buffer(Schedule& s, const Problem&, Random& random) {
  if (s.transfers.empty()) return false;
  s.transfers[pick(random, s.transfers)].buffer += "?";
  return true;
}

constexpr Spoil kSpoils[] = {without_an_entry,   an_entry_twice,       a_longer_entry,
                             an_unknown_device,  a_smaller_share,      two_pieces_at_once,
                             without_a_transfer, a_shorter_transfer,   two_transfers_on_one_port,
                             a_start_before_all, successors_too_early, an_unknown_buffer};

TEST(Properties, TheValidatorRejectsSpoiltSchedules) {
  Random random(1);
  int spoilt[std::size(kSpoils)] = {};
  for (int seed = 0; seed < 300; ++seed) {
    const Problem problem = random_problem(seed);
    for (const char* name : {"mkmd", "mkmd-malleable"}) {
      const Schedule good = valid_schedule(problem, name);
      for (size_t how = 0; how < std::size(kSpoils); ++how) {
        Schedule bad = good;
        if (!kSpoils[how](bad, problem, random)) continue;
        ++spoilt[how];
        EXPECT_FALSE(validate(problem, bad).ok()) << "seed " << seed << " " << name << " mutation " << how;
      }
    }
  }
  for (const int times : spoilt)
    EXPECT_GE(times, 100) << (&times - spoilt);
}

}  // namespace
}  // namespace mkmd::scheduler
