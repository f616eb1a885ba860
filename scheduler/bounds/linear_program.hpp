// SPDX-License-Identifier: Apache-2.0
// LinearProgram: a linear or mixed integer program as plain values, and the place where a solver for it is
// plugged in. The library that goes into a user's process has no solver; tools and tests plug in COIN-OR's
// CLP and CBC with use_coin_solver() from scheduler/solver.
#pragma once

#include "scheduler/problem.hpp"

#include <vector>

namespace mkmd::scheduler {

struct LinearProgram {  // minimise cost * x
  struct Column {
    double lower = 0, upper = kNever, cost = 0;
    bool integer = false;
  };
  struct Term {
    int column = 0;
    double factor = 0;
  };
  struct Row {
    double lower = -kNever, upper = kNever;
    std::vector<Term> terms;
  };
  std::vector<Column> columns;
  std::vector<Row> rows;

  int add_column(double lower, double upper, double cost = 0, bool integer = false) {
    columns.push_back({lower, upper, cost, integer});
    return static_cast<int>(columns.size()) - 1;
  }
  void at_most(std::vector<Term> terms, double upper) { rows.push_back({-kNever, upper, std::move(terms)}); }
  void at_least(std::vector<Term> terms, double lower) { rows.push_back({lower, kNever, std::move(terms)}); }
  void equal(std::vector<Term> terms, double value) { rows.push_back({value, value, std::move(terms)}); }
};

struct LpSolution {
  double objective = kNever;     // of the best solution found; kNever: none
  double lower_bound = -kNever;  // no solution is better
  std::vector<double> values;
  bool optimal = false;
};

// Stops after `seconds` with what it has. An error: no solver, or a program without solution.
using LpSolver = Result<LpSolution> (*)(const LinearProgram& program, double seconds);

void set_lp_solver(LpSolver solver);
Result<LpSolution> solve(const LinearProgram& program, double seconds = kNever);

}  // namespace mkmd::scheduler
