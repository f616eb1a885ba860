// SPDX-License-Identifier: Apache-2.0
// What the scheduler's tests share: the recorded graphs and a schedule that must be valid.
#pragma once

#include "scheduler/json_forms.hpp"
#include "scheduler/policy.hpp"
#include "scheduler/solver/coin.hpp"
#include "scheduler/validator.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace mkmd::scheduler {

inline const bool kSolver = (use_coin_solver(), true);

inline std::string read_text(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

inline Problem load_graph(const std::string& name) {
  Result<Document> document =
      parse_document(read_text(std::string(MKMD_TEST_DATA) + "/graphs/" + name + ".json"));
  EXPECT_TRUE(document.ok()) << name << ": " << document.status().message();
  return document.ok() ? std::move(document->problem) : Problem{};
}

// The schedule `spec` makes for the problem, checked.
inline Schedule valid_schedule(const Problem& problem, const std::string& spec,
                               const std::string& about = "") {
  Result<std::unique_ptr<Policy>> policy = make_policy(spec);
  EXPECT_TRUE(policy.ok()) << policy.status().message();
  if (!policy.ok()) return {};
  Result<Schedule> schedule = (*policy)->schedule(problem, {});
  EXPECT_TRUE(schedule.ok()) << spec << " " << about << ": " << schedule.status().message();
  if (!schedule.ok()) return {};
  const Status valid = validate(problem, *schedule);
  EXPECT_TRUE(valid.ok()) << spec << " " << about << ": " << valid.message();
  return std::move(*schedule);
}

inline constexpr const char* kMkmdGraphs[] = {"ABE",  "BiCGSTAB", "CARE",     "Commutator",
                                              "GABE", "Gramian",  "Jacobi",   "Lyapunov",
                                              "SVD",  "Stein",    "Sylvester"};

}  // namespace mkmd::scheduler
