// SPDX-License-Identifier: Apache-2.0
#include "models/least_squares.hpp"

#include <Eigen/Dense>

namespace mkmd::models {

namespace {

// Least squares over the columns in use; zero elsewhere.
Eigen::VectorXd solve(const Eigen::MatrixXd& a, const Eigen::VectorXd& b, const std::vector<bool>& used) {
  std::vector<Eigen::Index> columns;
  for (size_t i = 0; i < used.size(); ++i) {
    if (used[i]) columns.push_back(static_cast<Eigen::Index>(i));
  }
  Eigen::VectorXd x = Eigen::VectorXd::Zero(a.cols());
  if (columns.empty()) return x;
  const Eigen::MatrixXd part = a(Eigen::all, columns);
  const Eigen::VectorXd solution = part.colPivHouseholderQr().solve(b);
  for (size_t i = 0; i < columns.size(); ++i)
    x(columns[i]) = solution(static_cast<Eigen::Index>(i));
  return x;
}

}  // namespace

std::vector<double> non_negative_least_squares(const std::vector<std::vector<double>>& rows,
                                               const std::vector<double>& right,
                                               const std::vector<double>& weights) {
  if (rows.empty()) return {};
  const auto m = static_cast<Eigen::Index>(rows.size());
  const auto n = static_cast<Eigen::Index>(rows.front().size());
  Eigen::MatrixXd a(m, n);
  Eigen::VectorXd b(m);
  for (Eigen::Index i = 0; i < m; ++i) {
    const auto r = static_cast<size_t>(i);
    for (Eigen::Index j = 0; j < n; ++j)
      a(i, j) = rows[r][static_cast<size_t>(j)] * weights[r];
    b(i) = right[r] * weights[r];
  }
  // Columns differ by ten orders of magnitude: bytes beside a constant.
  Eigen::VectorXd scale = a.colwise().norm();
  for (Eigen::Index j = 0; j < n; ++j) {
    if (!(scale(j) > 0)) scale(j) = 1;
    a.col(j) /= scale(j);
  }
  if (m > n + 1) {  // the same problem in as many rows as it has unknowns: what follows solves it many times
    Eigen::MatrixXd both(m, n + 1);
    both << a, b;
    const Eigen::MatrixXd r = both.householderQr().matrixQR().topRows(n + 1).triangularView<Eigen::Upper>();
    a = r.leftCols(n);
    b = r.col(n);
  }
  std::vector<bool> used(static_cast<size_t>(n), false);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
  const double enough = 1e-10 * std::max(1e-300, (a.transpose() * b).cwiseAbs().maxCoeff());
  for (Eigen::Index round = 0; round < 3 * n; ++round) {
    const Eigen::VectorXd gradient = a.transpose() * (b - a * x);
    Eigen::Index best = -1;
    for (Eigen::Index j = 0; j < n; ++j) {
      if (!used[static_cast<size_t>(j)] && gradient(j) > enough && (best < 0 || gradient(j) > gradient(best)))
        best = j;
    }
    if (best < 0) break;
    used[static_cast<size_t>(best)] = true;
    for (Eigen::Index inner = 0; inner <= n; ++inner) {
      const Eigen::VectorXd z = solve(a, b, used);
      double step = 1;
      for (Eigen::Index j = 0; j < n; ++j) {
        if (used[static_cast<size_t>(j)] && z(j) <= 0) step = std::min(step, x(j) / (x(j) - z(j) + 1e-300));
      }
      if (step >= 1) {
        x = z;
        break;
      }
      x += step * (z - x);
      for (Eigen::Index j = 0; j < n; ++j) {
        if (used[static_cast<size_t>(j)] && x(j) <= 1e-14) {
          used[static_cast<size_t>(j)] = false;
          x(j) = 0;
        }
      }
    }
  }
  std::vector<double> result(static_cast<size_t>(n));
  for (Eigen::Index j = 0; j < n; ++j)
    result[static_cast<size_t>(j)] = std::max(0.0, x(j)) / scale(j);
  return result;
}

}  // namespace mkmd::models
