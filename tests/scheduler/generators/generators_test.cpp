// SPDX-License-Identifier: Apache-2.0
// Generated graphs against the recorded ones, and the quality of policies at sizes that are not recorded.
#include "scheduler/bounds/bounds.hpp"
#include "scheduler/generators/applications.hpp"
#include "scheduler/generators/matrix_equations.hpp"
#include "scheduler/generators/tiled.hpp"
#include "tests/scheduler/data.hpp"

#include <nlohmann/json.hpp>

namespace mkmd::scheduler {
namespace {

TEST(Generators, TiledFactorisationsAreTheRecordedOnes) {
  for (const auto& [name, kind, tiles] :
       {std::tuple("cholesky4", Factorisation::cholesky, 4),
        std::tuple("cholesky8", Factorisation::cholesky, 8), std::tuple("lu4", Factorisation::lu, 4),
        std::tuple("qr4", Factorisation::qr, 4)})
    EXPECT_EQ(nlohmann::json(to_json(tiled_factorisation(kind, tiles))),
              nlohmann::json(to_json(load_graph(name))))
        << name;
}

TEST(Generators, MatrixEquationsAreTheRecordedOnes) {
  for (std::string_view name : matrix_equations()) {
    const Problem recorded = load_graph("mkmd_" + std::string(name));
    Result<Problem> made = matrix_equation(name);
    ASSERT_TRUE(made.ok());
    for (size_t t = 0; t < recorded.graph.tasks.size(); ++t)
      for (size_t d = 0; d < 3; ++d) {
        double& time = made->graph.tasks[t].times[d];
        EXPECT_NEAR(time, recorded.graph.tasks[t].times[d], 1e-12) << name << " task " << t;
        time = recorded.graph.tasks[t].times[d];
      }
    EXPECT_EQ(nlohmann::json(to_json(*made)), nlohmann::json(to_json(recorded))) << name;
  }
  EXPECT_FALSE(matrix_equation("Kalman").ok());
}

TEST(Generators, ApplicationsMixesAndNetworks) {
  const std::pair<const char*, size_t> counts[] = {
      {"xgemm", 2},       {"cg", 16},        {"cholesky", 120},    {"increment", 1},
      {"va", 1},          {"pi", 1001},      {"fblock", 8},        {"mixed", 2 * 1149},
      {"data", 1149 + 6}, {"nn-LeNet", 256}, {"nn-GoogleNet", 100}};
  for (const auto& [name, tasks] : counts) {
    const Result<Problem> problem = application(name, WorkloadSize::small);
    ASSERT_TRUE(problem.ok());
    EXPECT_EQ(problem->graph.tasks.size(), tasks) << name;
    for (const char* policy : {"h-ratio", "d-rank", "ad-part", "hratio-part", "dmdar"})
      valid_schedule(*problem, policy, name);
  }
  EXPECT_EQ(application("nn-FRCNN", WorkloadSize::large)->graph.tasks.size(), 8000u);
  EXPECT_EQ(application("mixed", WorkloadSize::medium, false)->platform.devices.size(), 2u);
  EXPECT_FALSE(application("sort", WorkloadSize::small).ok());
}

// Ratios to the mixed bound that each policy must reach (Figures 12 and 13 of Beaumont, Eyraud-Dubois,
// Kumar).
TEST(Quality, TiledFactorisationsAgainstTheMixedBound) {
  for (int tiles : {4, 8, 12, 16, 20})
    for (Factorisation kind : {Factorisation::cholesky, Factorisation::lu, Factorisation::qr}) {
      const Problem problem = tiled_factorisation(kind, tiles);
      const double bound = mixed_bound(*ProblemIndex::make(problem))->bound;
      EXPECT_LE(valid_schedule(problem, "heteroprio").makespan(),
                (kind == Factorisation::qr ? 1.38 : 1.30) * bound)
          << tiles;
    }
}

TEST(Quality, RefinementShortensHeteroPrio) {
  for (const auto& [tiles, ratio] : {std::pair(12, 1.21), std::pair(16, 1.18), std::pair(20, 1.10)})
    for (Factorisation kind : {Factorisation::cholesky, Factorisation::lu, Factorisation::qr}) {
      const Problem problem = tiled_factorisation(kind, tiles);
      const double bound = mixed_bound(*ProblemIndex::make(problem))->bound;
      EXPECT_LE(valid_schedule(problem, "heteroprio-refined").makespan(), ratio * bound) << tiles;
    }
}

}  // namespace
}  // namespace mkmd::scheduler
