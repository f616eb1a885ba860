// SPDX-License-Identifier: Apache-2.0
// The reference matrices' operators; see reference.h.
#include "reference.h"

#include <cassert>

namespace bench {

Matrix::Matrix(const std::vector<float>& from, int columns_)
    : rows(int(from.size()) / columns_), columns(columns_), values(from.begin(), from.end()) {}

Matrix operator*(const Matrix& a, const Matrix& b) {
  assert(a.columns == b.rows);
  Matrix c(a.rows, b.columns);
  for (int i = 0; i < a.rows; ++i)
    for (int k = 0; k < a.columns; ++k)
      for (int j = 0; j < b.columns; ++j)
        c.at(i, j) += a.at(i, k) * b.at(k, j);
  return c;
}

Matrix operator*(double scale, const Matrix& a) {
  Matrix c = a;
  for (double& value : c.values)
    value *= scale;
  return c;
}

Matrix operator+(const Matrix& a, const Matrix& b) {
  assert(a.rows == b.rows && a.columns == b.columns);
  Matrix c = a;
  for (size_t i = 0; i < c.values.size(); ++i)
    c.values[i] += b.values[i];
  return c;
}

Matrix operator-(const Matrix& a, const Matrix& b) {
  return a + -1.0 * b;
}

Matrix transposed(const Matrix& a) {
  Matrix t(a.columns, a.rows);
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.columns; ++j)
      t.at(j, i) = a.at(i, j);
  return t;
}

double dot(const Matrix& a, const Matrix& b) {
  assert(a.values.size() == b.values.size());
  double sum = 0;
  for (size_t i = 0; i < a.values.size(); ++i)
    sum += a.values[i] * b.values[i];
  return sum;
}

}  // namespace bench
