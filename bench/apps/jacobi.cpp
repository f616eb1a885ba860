// SPDX-License-Identifier: Apache-2.0
// Jacobi iteration for A x = b: x = D^-1 (b - (L + U) x) with A = L + D + U. It is computed as D^-1 b -
// D^-1 (L + U) x. One of the equations of the MKMD paper (Table 3), whose graph holds D^-1 as a dense
// matrix. What does not change is computed once, the rest --iters times.
#include "harness.h"

#include <cmath>

using namespace bench;

namespace {

// A strictly triangular matrix; scaled so that the iteration converges.
Harness::Fill triangle(int n, bool lower) {
  return [n, lower](std::vector<float>& values, Random& random) {
    const float bound = 1.0f / std::sqrt(float(n));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        values[size_t(i) * n + j] = (lower ? j < i : j > i) ? random.uniform(-bound, bound) : 0.0f;
  };
}

Harness::Fill diagonal(int n) {
  return [n](std::vector<float>& values, Random& random) {
    std::fill(values.begin(), values.end(), 0.0f);
    for (int i = 0; i < n; ++i)
      values[size_t(i) * n + i] = random.uniform(0.4f, 0.6f);
  };
}

}  // namespace

int main(int argc, char** argv) {
  Harness h(argc, argv, {.size = 2048, .iterations = 50});
  const int n = h.size();
  const Input& l = h.input_matrix(triangle(n, true));
  const Input& u = h.input_matrix(triangle(n, false));
  const Input& d_inverse = h.input_matrix(diagonal(n));
  const Input& b = h.input_vector();
  const Buffer lu = h.matrix(), x = h.vector(), dib = h.vector(), lux = h.vector(), dilux = h.vector();

  const auto enqueue = [&] {
    h.add(l, u, lu);
    h.multiply_vector(d_inverse, b, dib);
    h.fill(x, 0.0f);
    for (int i = 0; i < h.iterations(); ++i) {
      h.multiply_vector(lu, x, lux);
      h.multiply_vector(d_inverse, lux, dilux);
      h.subtract(dib, dilux, x);
    }
  };
  const auto reference = [&] {
    const Matrix LU = Matrix(l.host, n) + Matrix(u.host, n), D_inverse(d_inverse.host, n), B(b.host, 1);
    Matrix X(n, 1);
    for (int i = 0; i < h.iterations(); ++i)
      X = D_inverse * (B - LU * X);
    return X;
  };
  return h.run(x, enqueue, reference);
}
