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

struct Equations {  // a x = b
  Eigen::MatrixXd a;
  Eigen::VectorXd b;
};

Equations weighted(const std::vector<std::vector<double>>& rows, const std::vector<double>& right,
                   const std::vector<double>& weights) {
  const auto m = static_cast<Eigen::Index>(rows.size());
  const auto n = static_cast<Eigen::Index>(rows.front().size());
  Equations all{Eigen::MatrixXd(m, n), Eigen::VectorXd(m)};
  for (Eigen::Index i = 0; i < m; ++i) {
    const auto r = static_cast<size_t>(i);
    for (Eigen::Index j = 0; j < n; ++j)
      all.a(i, j) = rows[r][static_cast<size_t>(j)] * weights[r];
    all.b(i) = right[r] * weights[r];
  }
  return all;
}

// Gives the columns the norm 1, and returns what it was: they differ by ten orders of magnitude, as bytes do
// from a constant.
Eigen::VectorXd normalise_columns(Eigen::MatrixXd& a) {
  Eigen::VectorXd norm = a.colwise().norm();
  for (Eigen::Index j = 0; j < a.cols(); ++j) {
    if (!(norm(j) > 0)) norm(j) = 1;
    a.col(j) /= norm(j);
  }
  return norm;
}

// The same least squares in as many rows as there are unknowns: they are solved many times.
void condense(Equations& all) {
  const Eigen::Index n = all.a.cols();
  if (all.a.rows() <= n + 1) return;
  Eigen::MatrixXd both(all.a.rows(), n + 1);
  both << all.a, all.b;
  const Eigen::MatrixXd r = both.householderQr().matrixQR().topRows(n + 1).triangularView<Eigen::Upper>();
  all.a = r.leftCols(n);
  all.b = r.col(n);
}

// Lawson and Hanson's active set method.
class ActiveSet {
public:
  explicit ActiveSet(const Equations& of)
      : of_(of), used_(static_cast<size_t>(of.a.cols()), false), x_(Eigen::VectorXd::Zero(of.a.cols())) {}

  const Eigen::VectorXd& solve_all() {
    const double enough = 1e-10 * std::max(1e-300, (of_.a.transpose() * of_.b).cwiseAbs().maxCoeff());
    for (Eigen::Index round = 0; round < 3 * x_.size(); ++round) {
      if (!add_steepest(enough)) break;
      solve_used();
    }
    return x_;
  }

private:
  bool used(Eigen::Index j) const { return used_[static_cast<size_t>(j)]; }

  // The column that lessens the error most is used from now on; false: none does by enough.
  bool add_steepest(double enough) {
    const Eigen::VectorXd gradient = of_.a.transpose() * (of_.b - of_.a * x_);
    Eigen::Index best = -1;
    for (Eigen::Index j = 0; j < x_.size(); ++j) {
      if (!used(j) && gradient(j) > enough && (best < 0 || gradient(j) > gradient(best))) best = j;
    }
    if (best >= 0) used_[static_cast<size_t>(best)] = true;
    return best >= 0;
  }

  // Goes to the solution over the columns in use. Where a coefficient gets to zero on the way, its column is
  // not used any more.
  void solve_used() {
    for (Eigen::Index inner = 0; inner <= x_.size(); ++inner) {
      const Eigen::VectorXd z = solve(of_.a, of_.b, used_);
      double step = 1;
      for (Eigen::Index j = 0; j < x_.size(); ++j) {
        if (used(j) && z(j) <= 0) step = std::min(step, x_(j) / (x_(j) - z(j) + 1e-300));
      }
      if (step >= 1) {
        x_ = z;
        return;
      }
      x_ += step * (z - x_);
      for (Eigen::Index j = 0; j < x_.size(); ++j) {
        if (!used(j) || x_(j) > 1e-14) continue;
        used_[static_cast<size_t>(j)] = false;
        x_(j) = 0;
      }
    }
  }

  const Equations& of_;
  std::vector<bool> used_;
  Eigen::VectorXd x_;
};

}  // namespace

std::vector<double> non_negative_least_squares(const std::vector<std::vector<double>>& rows,
                                               const std::vector<double>& right,
                                               const std::vector<double>& weights) {
  if (rows.empty()) return {};
  Equations all = weighted(rows, right, weights);
  const Eigen::VectorXd norm = normalise_columns(all.a);
  condense(all);
  ActiveSet set(all);
  const Eigen::VectorXd& x = set.solve_all();
  std::vector<double> result(rows.front().size());
  for (Eigen::Index j = 0; j < x.size(); ++j)
    result[static_cast<size_t>(j)] = std::max(0.0, x(j)) / norm(j);
  return result;
}

}  // namespace mkmd::models
