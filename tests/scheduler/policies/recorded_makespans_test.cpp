// SPDX-License-Identifier: Apache-2.0
// Every makespan recorded in tests/data/graphs/expected.json, by an independent implementation: tiled
// factorisations, worst-case instances with known answers, and the case study of Zhou and Liu.
#include "scheduler/bounds/area.hpp"
#include "scheduler/bounds/bounds.hpp"
#include "scheduler/policies/mapping_queue.hpp"
#include "scheduler/ranks.hpp"
#include "tests/scheduler/data.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <map>

namespace mkmd::scheduler {
namespace {

using nlohmann::json;

const json& expected() {
  static const json kExpected = json::parse(read_text(std::string(MKMD_TEST_DATA) + "/graphs/expected.json"));
  return kExpected;
}

std::string policy_of(const std::string& recorded) {
  static const std::map<std::string, std::string> kNames = {{"heft_classes", "heft"},
                                                            {"heteroprio_indep", "heteroprio-indep"},
                                                            {"heteroprio_dep", "heteroprio-dep"},
                                                            {"balanced_estimate", "balanced-estimate"},
                                                            {"arealist", "area-list"},
                                                            {"arealiststeal", "area-list-steal"},
                                                            {"h_ratio", "h-ratio"},
                                                            {"d_rank", "d-rank"},
                                                            {"hratio_part", "hratio-part"}};
  const auto found = kNames.find(recorded);
  return found == kNames.end() ? recorded : found->second;
}

TEST(RecordedMakespans, AllAgree) {
  int compared = 0;
  for (const auto& [graph, facts] : expected().items()) {
    Problem problem = load_graph(graph);
    const bool given = facts.contains("known") && facts["known"].contains("prio");
    for (size_t t = 0; given && t < problem.graph.tasks.size(); ++t)
      problem.graph.tasks[t].priority = facts["known"]["prio"][t];
    const std::string shares = testing::TempDir() + "mkmd_shares_" + graph + ".json";
    for (const auto& [recorded, makespan] : facts["makespan"].items()) {
      const size_t slash = recorded.find('/');
      std::string spec = policy_of(recorded.substr(0, slash));
      if (slash != std::string::npos) spec += ":rank=" + recorded.substr(slash + 1);
      if (given) spec += ":rank=given";
      if (spec.starts_with("area-list")) {
        std::ofstream(shares) << json{{"mixed_x", facts["mixed_x"]}};
        spec += ":x=" + shares;
      }
      EXPECT_NEAR(valid_schedule(problem, spec, graph).makespan(), makespan.get<double>(), 1e-9)
          << graph << " " << recorded;
      ++compared;
    }
    std::remove(shares.c_str());
  }
  EXPECT_GE(compared, 80);
}

TEST(RecordedMakespans, RatiosOfTheWorstCases) {
  for (const auto& [graph, policy, makespan] : {std::tuple("fig1_rho100", "heteroprio-dep", 5.0),
                                                std::tuple("fig1_rho100", "heteroprio-indep", 103.0)})
    EXPECT_NEAR(valid_schedule(load_graph(graph), policy).makespan(), makespan, 1e-6) << policy;
}

TEST(RecordedBounds, AreaCriticalPathAndMixed) {
  for (const char* graph : {"cholesky4", "cholesky8", "lu4", "qr4"}) {
    const json& facts = expected()[graph];
    const Problem problem = load_graph(graph);
    const ProblemIndex index = *ProblemIndex::make(problem);
    EXPECT_NEAR(area_bound(index, TwoClass(index)).bound, facts["area"], 1e-9) << graph;
    EXPECT_NEAR(*area_transfer_bound(index), facts["area"], 1e-9) << graph;
    EXPECT_NEAR(critical_path(index), facts["cp"], 1e-9) << graph;
    EXPECT_NEAR(mixed_bound(index)->bound, facts["mixed"], 1e-9) << graph;
    const std::vector<double> rank = rank_tasks(index, TwoClass(index), Rank::min);
    for (size_t t = 0; t < rank.size(); ++t)
      EXPECT_NEAR(rank[t], facts["rank_min"][t], 1e-12) << graph;
  }
}

TEST(RecordedRanks, CaseStudyOfZhouAndLiu) {
  const json& facts = expected()["emsoft_table2"];
  const Problem problem = load_graph("emsoft_table2");
  const ProblemIndex index = *ProblemIndex::make(problem);
  for (int t = 0; t < index.task_count(); ++t) {
    EXPECT_NEAR(heterogeneity_ratio(index, t), facts["H"][t], 1e-12);
    EXPECT_NEAR(structure_rank(index, t), facts["drank"][t], 1e-12);
  }
}

}  // namespace
}  // namespace mkmd::scheduler
