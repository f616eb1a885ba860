// SPDX-License-Identifier: Apache-2.0
// Sylvester equation: A X + X B - C.
// One of the equations of the MKMD paper (Table 3); the harness writes the inputs, times and checks.
#include "harness.h"

using namespace bench;

int main(int argc, char** argv) {
  Harness h(argc, argv, {.size = 896});
  const Input& a = h.input_matrix();
  const Input& x = h.input_matrix();
  const Input& b = h.input_matrix();
  const Input& c = h.input_matrix();
  const Buffer ax = h.matrix(), xb = h.matrix(), sum = h.matrix(), result = h.matrix();

  const auto enqueue = [&] {
    h.multiply(a, x, ax);
    h.multiply(x, b, xb);
    h.add(ax, xb, sum);
    h.subtract(sum, c, result);
  };
  const auto reference = [&] {
    const Matrix A(a.host, h.size()), X(x.host, h.size()), B(b.host, h.size()), C(c.host, h.size());
    return A * X + X * B - C;
  };
  return h.run(result, enqueue, reference);
}
