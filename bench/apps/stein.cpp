// SPDX-License-Identifier: Apache-2.0
// Stein equation: A X A^T - X.
// One of the equations of the MKMD paper (Table 3); the harness writes the inputs, times and checks.
#include "harness.h"

using namespace bench;

int main(int argc, char** argv) {
  Harness h(argc, argv, {.size = 896});
  const Input& a = h.input_matrix();
  const Input& x = h.input_matrix();
  const Buffer ax = h.matrix(), at = h.matrix(), axat = h.matrix(), result = h.matrix();

  const auto enqueue = [&] {
    h.multiply(a, x, ax);
    h.transpose(a, at);
    h.multiply(ax, at, axat);
    h.subtract(axat, x, result);
  };
  const auto reference = [&] {
    const Matrix A(a.host, h.size()), X(x.host, h.size());
    return A * X * transposed(A) - X;
  };
  return h.run(result, enqueue, reference);
}
