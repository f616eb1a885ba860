// SPDX-License-Identifier: Apache-2.0
#include "scheduler/bounds/linear_program.hpp"

#include <atomic>

namespace mkmd::scheduler {
namespace {

std::atomic<LpSolver> plugged_in{nullptr};

}  // namespace

void set_lp_solver(LpSolver solver) {
  plugged_in = solver;
}

Result<LpSolution> solve(const LinearProgram& program, double seconds) {
  const LpSolver solver = plugged_in;
  if (!solver) return Status::internal("there is no linear programming solver in this program");
  return solver(program, seconds);
}

}  // namespace mkmd::scheduler
