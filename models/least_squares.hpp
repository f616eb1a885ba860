// SPDX-License-Identifier: Apache-2.0
// Least squares with coefficients that cannot be negative (times never are): Lawson and Hanson, Solving Least
// Squares Problems, 1974, chapter 23.
#pragma once

#include <vector>

namespace mkmd::models {

// Rows of equal length; `weights` multiply each row's residual. All finite. The result has one value per
// column, each ≥ 0; columns that are zero or add nothing get 0.
std::vector<double> non_negative_least_squares(const std::vector<std::vector<double>>& rows,
                                               const std::vector<double>& right,
                                               const std::vector<double>& weights);

}  // namespace mkmd::models
