// SPDX-License-Identifier: Apache-2.0
// Generalized Sylvester equation: A X B + C X D - E.
// Not one of the MKMD paper's Table 3: what is tuned to those eleven would show here.
#include "harness.h"

using namespace bench;

int main(int argc, char** argv) {
  Harness h(argc, argv, {.size = 640});
  const Input& a = h.input_matrix();
  const Input& x = h.input_matrix();
  const Input& b = h.input_matrix();
  const Input& c = h.input_matrix();
  const Input& d = h.input_matrix();
  const Input& e = h.input_matrix();
  const Buffer ax = h.matrix(), axb = h.matrix(), cx = h.matrix(), cxd = h.matrix(), sum = h.matrix(),
               result = h.matrix();

  const auto enqueue = [&] {
    h.multiply(a, x, ax);
    h.multiply(ax, b, axb);
    h.multiply(c, x, cx);
    h.multiply(cx, d, cxd);
    h.add(axb, cxd, sum);
    h.subtract(sum, e, result);
  };
  const auto reference = [&] {
    const Matrix A(a.host, h.size()), X(x.host, h.size()), B(b.host, h.size()), C(c.host, h.size()),
        D(d.host, h.size()), E(e.host, h.size());
    return A * X * B + C * X * D - E;
  };
  return h.run(result, enqueue, reference);
}
