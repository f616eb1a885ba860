// SPDX-License-Identifier: Apache-2.0
#include "models/least_squares.hpp"

#include <gmock/gmock.h>

#include <random>

namespace mkmd::models {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

TEST(NonNegativeLeastSquares, SolvesWhatLeastSquaresSolves) {
  EXPECT_THAT(non_negative_least_squares({{1, 0}, {0, 2}, {1, 2}}, {3, 8, 11}, {1, 1, 1}),
              ElementsAre(DoubleNear(3, 1e-9), DoubleNear(4, 1e-9)));
}

TEST(NonNegativeLeastSquares, TheBestNegativeCoefficientBecomesZero) {
  // Unconstrained: x = (−1, 2). Along the border x₀ = 0 the best is 1.5.
  const auto x = non_negative_least_squares({{1, 1}, {0, 1}}, {1, 2}, {1, 1});
  EXPECT_THAT(x, ElementsAre(0, DoubleNear(1.5, 1e-9)));
}

TEST(NonNegativeLeastSquares, WeightsAndScales) {
  const auto x = non_negative_least_squares({{1e12}, {1e12}}, {1, 3}, {1, 0});
  EXPECT_THAT(x, ElementsAre(DoubleNear(1e-12, 1e-18)));
}

// The conditions of Karush, Kuhn and Tucker, which only an optimum fulfils.
TEST(NonNegativeLeastSquares, RandomProblemsEndAtAnOptimum) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int problem = 0; problem < 200; ++problem) {
    const size_t n = 1 + random() % 8;
    const size_t m = 1 + random() % 30;
    std::vector<std::vector<double>> rows(m, std::vector<double>(n));
    std::vector<double> right(m);
    for (size_t i = 0; i < m; ++i) {
      for (double& a : rows[i])
        a = uniform(random);
      if (n > 2) rows[i][2] = rows[i][0] + rows[i][1];  // collinear
      right[i] = uniform(random);
    }
    const auto x = non_negative_least_squares(rows, right, std::vector<double>(m, 1.0));
    for (size_t j = 0; j < n; ++j) {
      double gradient = 0;
      for (size_t i = 0; i < m; ++i) {
        double residual = right[i];
        for (size_t k = 0; k < n; ++k)
          residual -= rows[i][k] * x[k];
        gradient += rows[i][j] * residual;
      }
      EXPECT_GE(x[j], 0);
      EXPECT_LT(gradient, 1e-7) << "problem " << problem;
      if (x[j] > 1e-9) {
        EXPECT_NEAR(gradient, 0, 1e-7) << "problem " << problem;
      }
    }
  }
}

}  // namespace
}  // namespace mkmd::models
