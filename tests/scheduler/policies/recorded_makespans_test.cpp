// SPDX-License-Identifier: Apache-2.0
// Every makespan recorded in tests/data/graphs/expected.json, by an independent implementation: tiled
// factorisations, worst-case instances with known answers, and the case study of Zhou and Liu.
#include "scheduler/bounds/area.hpp"
#include "scheduler/bounds/bounds.hpp"
#include "scheduler/policies/mapping_queue.hpp"
#include "scheduler/ranks.hpp"
#include "tests/scheduler/data.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
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

struct Kind {
  double cpu, gpu, priority;
};

// Tasks of these kinds on `cpus` CPUs and one GPU; edges by index.
Problem on_one_gpu(int cpus, const std::vector<Kind>& tasks,
                   const std::vector<std::pair<int, int>>& edges = {}) {
  Problem p;
  for (int d = 0; d < cpus; ++d)
    p.platform.devices.push_back({"cpu" + std::to_string(d), DeviceClass::cpu, 0});
  p.platform.devices.push_back({"gpu", DeviceClass::gpu, 0});
  for (const Kind& kind : tasks) {
    Task t;
    t.id = static_cast<int>(p.graph.tasks.size());
    t.name = "t";
    t.times.assign(cpus, kind.cpu);
    t.times.push_back(kind.gpu);
    t.priority = kind.priority;
    p.graph.tasks.push_back(t);
  }
  for (const auto& [src, dst] : edges)
    p.graph.edges.push_back({src, dst, 0, "o" + std::to_string(src), Access::full});
  return p;
}

// The families of Beaumont, Eyraud-Dubois and Kumar. Factors that are equal on paper differ by rounding in
// most of these, and so do instants.
TEST(KnownAnswers, HeteroPrioIndepOnOneGpu) {  // Theorem 11
  const double phi = (1 + std::sqrt(5)) / 2;
  for (int m : {2, 5, 11, 20, 35, 44})
    for (int k : {1, 2, 3, 10, 33, 64}) {
      const double x = (m - 1) / (m + phi), e = x / k;
      std::vector<Kind> tasks = {{1, 1 / phi, 1}, {phi, 1, 0}};
      tasks.insert(tasks.end(), static_cast<size_t>(m) * k, {e, e, 0});
      tasks.insert(tasks.end(), k, {e * phi, e, 2});
      EXPECT_NEAR(valid_schedule(on_one_gpu(m, tasks), "heteroprio-indep:rank=given").makespan(), x + phi,
                  1e-9)
          << m << " CPUs, " << k;
    }
}

TEST(KnownAnswers, HeteroPrioDepOnTwoChains) {  // Section 6.2
  for (int k : {1, 2, 7, 25}) {
    std::vector<Kind> tasks(k, {1, 2, 0});
    tasks.push_back({1, 2, 1});
    tasks.insert(tasks.end(), k - 1, {2, 1, 1});
    std::vector<std::pair<int, int>> edges;
    for (int i = 0; i + 1 < 2 * k; ++i)
      if (i + 1 != k) edges.emplace_back(i, i + 1);
    EXPECT_NEAR(valid_schedule(on_one_gpu(1, tasks, edges), "heteroprio-dep:rank=given").makespan(), 2.0 * k,
                1e-9);
  }
}

TEST(KnownAnswers, SpoliationBeforeNothingIsReady) {  // Figure 1
  for (double rho : {2.5, 5.0, 17.3, 1e6}) {
    const Problem p =
        on_one_gpu(1, {{1, 1, 0}, {1, 1, 0}, {2, 2, 0}, {rho, 1, 0}, {1, rho - 1, 0}, {1, 1, 0}},
                   {{0, 1}, {0, 2}, {1, 3}, {2, 4}, {3, 5}, {4, 5}});
    EXPECT_NEAR(valid_schedule(p, "heteroprio-dep").makespan(), 5, 1e-9) << rho;
    EXPECT_NEAR(valid_schedule(p, "heteroprio-indep").makespan(), 3 + rho, 1e-9 * rho);
  }
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
