// SPDX-License-Identifier: Apache-2.0
// Generalized algebraic Bernoulli equation: A^T X E + E^T X A - E^T X G X E.
// One of the equations of the MKMD paper (Table 3); the harness writes the inputs, times and checks.
#include "harness.h"

using namespace bench;

int main(int argc, char** argv) {
  Harness h(argc, argv, {.size = 640});
  const Input& a = h.input_matrix();
  const Input& x = h.input_matrix();
  const Input& e = h.input_matrix();
  const Input& g = h.input_matrix();
  const Buffer xe = h.matrix(), et = h.matrix(), etx = h.matrix(), at = h.matrix(), atxe = h.matrix(),
               etxa = h.matrix(), sum = h.matrix(), etxg = h.matrix(), etxgxe = h.matrix(),
               result = h.matrix();

  const auto enqueue = [&] {
    h.multiply(x, e, xe);
    h.transpose(e, et);
    h.multiply(et, x, etx);
    h.transpose(a, at);
    h.multiply(at, xe, atxe);
    h.multiply(etx, a, etxa);
    h.add(atxe, etxa, sum);
    h.multiply(etx, g, etxg);
    h.multiply(etxg, xe, etxgxe);
    h.subtract(sum, etxgxe, result);
  };
  const auto reference = [&] {
    const Matrix A(a.host, h.size()), X(x.host, h.size()), E(e.host, h.size()), G(g.host, h.size());
    return transposed(A) * X * E + transposed(E) * X * A - transposed(E) * X * G * X * E;
  };
  return h.run(result, enqueue, reference);
}
