// SPDX-License-Identifier: Apache-2.0
// Continuous algebraic Riccati equation: A^T X + X A - X B R^-1 B^T X + Q; R^-1 is an input.
// One of the equations of the MKMD paper (Table 3); the harness writes the inputs, times and checks.
#include "harness.h"

using namespace bench;

int main(int argc, char** argv) {
  Harness h(argc, argv, {.size = 640});
  const Input& a = h.input_matrix();
  const Input& x = h.input_matrix();
  const Input& b = h.input_matrix();
  const Input& r_inverse = h.input_matrix();
  const Input& q = h.input_matrix();
  const Buffer at = h.matrix(), atx = h.matrix(), xa = h.matrix(), sum = h.matrix(), xb = h.matrix(),
               xbr = h.matrix(), bt = h.matrix(), btx = h.matrix(), xbrbtx = h.matrix(),
               difference = h.matrix(), result = h.matrix();

  const auto enqueue = [&] {
    h.transpose(a, at);
    h.multiply(at, x, atx);
    h.multiply(x, a, xa);
    h.add(atx, xa, sum);
    h.multiply(x, b, xb);
    h.multiply(xb, r_inverse, xbr);
    h.transpose(b, bt);
    h.multiply(bt, x, btx);
    h.multiply(xbr, btx, xbrbtx);
    h.subtract(sum, xbrbtx, difference);
    h.add(difference, q, result);
  };
  const auto reference = [&] {
    const Matrix A(a.host, h.size()), X(x.host, h.size()), B(b.host, h.size()),
        R_inverse(r_inverse.host, h.size()), Q(q.host, h.size());
    return transposed(A) * X + X * A - X * B * R_inverse * transposed(B) * X + Q;
  };
  return h.run(result, enqueue, reference);
}
