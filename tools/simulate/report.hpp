// SPDX-License-Identifier: Apache-2.0
// Judging schedules: bounds of a problem, and what one policy makes of it. For simulate.cpp.
#pragma once

#include "scheduler/policy.hpp"
#include "scheduler/problem.hpp"
#include "scheduler/schedule.hpp"

#include <nlohmann/json_fwd.hpp>

#include <algorithm>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace mkmd {

struct Bound {
  std::string name;
  std::optional<double> seconds;                       // none: not solved in time
  std::optional<std::pair<double, double>> work = {};  // seconds of CPUs and of GPUs in its solution
  std::string note = {};                               // why it is not exact, or not known
};

struct BoundOptions {
  double seconds_each = 5;
  double exact_seconds = 0;  // 0: not asked for
  std::vector<std::string> only{"path", "classes", "area", "transfers", "mixed"};

  bool wants(const std::string& name) const {
    return std::find(only.begin(), only.end(), name) != only.end();
  }
};

std::vector<Bound> bounds_of(const scheduler::Problem& problem, const BoundOptions& options);
double best_bound(const std::vector<Bound>& bounds);
// A makespan over the bound, for a table; a dash if there is no bound.
std::string ratio_text(double makespan, double bound);

// How the times things really take differ from the predicted ones.
struct Disturbance {
  double rate_error = 0;
  double jitter = 0;
  uint64_t seed = 1;

  bool none() const { return rate_error == 0 && jitter == 0; }
  scheduler::Problem of(const scheduler::Problem& problem) const;
};

struct Outcome {
  Status status;         // why there is no valid schedule
  bool refused = false;  // the policy made none: its parameters do not fit the problem
  scheduler::Schedule schedule;
  double planning_seconds = 0;
};

// Plans with the predicted times and, if the actual problem is another one, carries the plan out with its
// times.
Outcome try_policy(const scheduler::Problem& predicted, const scheduler::Problem& actual,
                   const std::string& spec);

double idle_share(const scheduler::Problem& problem, const scheduler::Schedule& schedule);

void print_outcome(std::ostream& out, const scheduler::Problem& problem, const Outcome& outcome,
                   const std::vector<Bound>& bounds);
void print_table_head(std::ostream& out);
void print_table_row(std::ostream& out, std::string_view name, const scheduler::Problem& problem,
                     const Outcome& outcome, double bound);

// The same as values: {"bounds": [{"name", "seconds", "work": {class: seconds}}]}, and per policy {"policy",
// "tasks", "makespan", "planning", "idle": {class: seconds}, ...}; aborted runs count as idle.
nlohmann::ordered_json bounds_to_json(const std::vector<Bound>& bounds);
nlohmann::ordered_json outcome_to_json(const std::string& policy, const scheduler::Problem& problem,
                                       const Outcome& outcome);

}  // namespace mkmd
