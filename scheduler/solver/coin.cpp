// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solver/coin.hpp"

#include "scheduler/bounds/linear_program.hpp"

#include <CbcModel.hpp>
#include <ClpSimplex.hpp>
#include <CoinPackedMatrix.hpp>
#include <OsiClpSolverInterface.hpp>

#include <Cbc_C_Interface.h>

#include <algorithm>

namespace mkmd::scheduler {
namespace {

// COIN-OR's form: columns' data in one array each, the matrix by columns.
struct Packed {
  std::vector<double> lower, upper, cost, row_lower, row_upper;
  CoinPackedMatrix matrix;
};

double finite(double x) {
  return std::clamp(x, -COIN_DBL_MAX, COIN_DBL_MAX);
}

Packed pack(const LinearProgram& program) {
  Packed p;
  for (const LinearProgram::Column& c : program.columns) {
    p.lower.push_back(finite(c.lower));
    p.upper.push_back(finite(c.upper));
    p.cost.push_back(c.cost);
  }
  std::vector<int> rows, columns;
  std::vector<double> factors;
  for (size_t r = 0; r < program.rows.size(); ++r) {
    p.row_lower.push_back(finite(program.rows[r].lower));
    p.row_upper.push_back(finite(program.rows[r].upper));
    for (const LinearProgram::Term& t : program.rows[r].terms) {
      rows.push_back(static_cast<int>(r));
      columns.push_back(t.column);
      factors.push_back(t.factor);
    }
  }
  p.matrix =
      CoinPackedMatrix(true, rows.data(), columns.data(), factors.data(), static_cast<int>(factors.size()));
  p.matrix.setDimensions(static_cast<int>(program.rows.size()), static_cast<int>(program.columns.size()));
  return p;
}

Result<LpSolution> solve_linear(const LinearProgram& program, double seconds) {
  const Packed p = pack(program);
  ClpSimplex model;
  model.setLogLevel(0);
  model.setPrimalTolerance(1e-9);
  model.setDualTolerance(1e-9);
  model.loadProblem(p.matrix, p.lower.data(), p.upper.data(), p.cost.data(), p.row_lower.data(),
                    p.row_upper.data());
  if (seconds != kNever) model.setMaximumSeconds(seconds);
  model.initialSolve();
  if (model.isProvenPrimalInfeasible() || model.isProvenDualInfeasible())
    return Status::internal("the linear program has no solution");
  if (!model.isProvenOptimal()) return Status::internal("the linear program was not solved in time");
  LpSolution s;
  s.optimal = true;
  s.objective = s.lower_bound = model.objectiveValue();
  s.values.assign(model.primalColumnSolution(), model.primalColumnSolution() + program.columns.size());
  return s;
}

Result<LpSolution> solve_integer(const LinearProgram& program, double seconds) {
  const Packed p = pack(program);
  Cbc_Model* model = Cbc_newModel();
  Cbc_loadProblem(model, p.matrix.getNumCols(), p.matrix.getNumRows(), p.matrix.getVectorStarts(),
                  p.matrix.getIndices(), p.matrix.getElements(), p.lower.data(), p.upper.data(),
                  p.cost.data(), p.row_lower.data(), p.row_upper.data());
  for (size_t c = 0; c < program.columns.size(); ++c)
    if (program.columns[c].integer) Cbc_setInteger(model, static_cast<int>(c));
  Cbc_setParameter(model, "log", "0");
  if (seconds != kNever) Cbc_setParameter(model, "sec", std::to_string(seconds).c_str());
  Cbc_solve(model);
  LpSolution s;
  s.optimal = Cbc_isProvenOptimal(model);
  const bool found = Cbc_numberSavedSolutions(model) > 0 || s.optimal;
  const bool impossible = Cbc_isProvenInfeasible(model);
  if (found) {
    s.objective = Cbc_getObjValue(model);
    const double* x = Cbc_getColSolution(model);
    s.values.assign(x, x + program.columns.size());
  }
  s.lower_bound = s.optimal ? s.objective : Cbc_getBestPossibleObjValue(model);
  Cbc_deleteModel(model);
  if (impossible) return Status::internal("the integer program has no solution");
  return s;
}

Result<LpSolution> solve_with_coin(const LinearProgram& program, double seconds) {
  for (const LinearProgram::Column& c : program.columns)
    if (c.integer) return solve_integer(program, seconds);
  return solve_linear(program, seconds);
}

}  // namespace

void use_coin_solver() {
  set_lp_solver(solve_with_coin);
}

}  // namespace mkmd::scheduler
