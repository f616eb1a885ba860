// SPDX-License-Identifier: Apache-2.0
// Continuous Lyapunov equation: A X + X A^T + Q.
// One of the equations of the MKMD paper (Table 3); the harness writes the inputs, times and checks.
#include "harness.h"

using namespace bench;

int main(int argc, char** argv) {
  Harness h(argc, argv, {.size = 896});
  const Input& a = h.input_matrix();
  const Input& x = h.input_matrix();
  const Input& q = h.input_matrix();
  const Buffer ax = h.matrix(), at = h.matrix(), xat = h.matrix(), sum = h.matrix(), result = h.matrix();

  const auto enqueue = [&] {
    h.multiply(a, x, ax);
    h.transpose(a, at);
    h.multiply(x, at, xat);
    h.add(ax, xat, sum);
    h.add(sum, q, result);
  };
  const auto reference = [&] {
    const Matrix A(a.host, h.size()), X(x.host, h.size()), Q(q.host, h.size());
    return A * X + X * transposed(A) + Q;
  };
  return h.run(result, enqueue, reference);
}
