// SPDX-License-Identifier: Apache-2.0
// Dense double-precision matrices with operators, so that a program's reference reads like its equation.
// Written for clarity, not speed: references are computed for --check only.
#pragma once

#include <cstddef>
#include <vector>

namespace bench {

struct Matrix {
  int rows = 0;
  int columns = 0;
  std::vector<double> values;  // row-major

  Matrix(int rows_, int columns_) : rows(rows_), columns(columns_), values(std::size_t(rows_) * columns_) {}
  // From what was written to the device; `columns_` 1 makes a column vector.
  Matrix(const std::vector<float>& from, int columns_);

  double& at(int row, int column) { return values[std::size_t(row) * columns + column]; }
  double at(int row, int column) const { return values[std::size_t(row) * columns + column]; }
};

Matrix operator*(const Matrix& a, const Matrix& b);
Matrix operator*(double scale, const Matrix& a);
Matrix operator+(const Matrix& a, const Matrix& b);
Matrix operator-(const Matrix& a, const Matrix& b);
Matrix transposed(const Matrix& a);
double dot(const Matrix& a, const Matrix& b);

}  // namespace bench
