// SPDX-License-Identifier: Apache-2.0
// Algebraic Bernoulli equation: A^T X + X A - X B B^T X.
// One of the equations of the MKMD paper (Table 3); the harness writes the inputs, times and checks.
#include "harness.h"

using namespace bench;

int main(int argc, char** argv) {
  Harness h(argc, argv, {.size = 640});
  const Input& a = h.input_matrix();
  const Input& x = h.input_matrix();
  const Input& b = h.input_matrix();
  const Buffer at = h.matrix(), atx = h.matrix(), xa = h.matrix(), xb = h.matrix(), bt = h.matrix(),
               btx = h.matrix(), xbbtx = h.matrix(), sum = h.matrix(), result = h.matrix();

  const auto enqueue = [&] {
    h.transpose(a, at);
    h.multiply(at, x, atx);
    h.multiply(x, a, xa);
    h.multiply(x, b, xb);
    h.transpose(b, bt);
    h.multiply(bt, x, btx);
    h.multiply(xb, btx, xbbtx);
    h.add(atx, xa, sum);
    h.subtract(sum, xbbtx, result);
  };
  const auto reference = [&] {
    const Matrix A(a.host, h.size()), X(x.host, h.size()), B(b.host, h.size());
    return transposed(A) * X + X * A - X * B * transposed(B) * X;
  };
  return h.run(result, enqueue, reference);
}
