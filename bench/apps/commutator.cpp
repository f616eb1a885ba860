// SPDX-License-Identifier: Apache-2.0
// Triple commutator: A B C + B C A + C A B - B A C - A C B - C B A.
// One of the equations of the MKMD paper (Table 3); the harness writes the inputs, times and checks.
#include "harness.h"

using namespace bench;

int main(int argc, char** argv) {
  Harness h(argc, argv, {.size = 512});
  const Input& a = h.input_matrix();
  const Input& b = h.input_matrix();
  const Input& c = h.input_matrix();
  const Buffer ab = h.matrix(), bc = h.matrix(), ca = h.matrix(), ba = h.matrix(), ac = h.matrix(),
               cb = h.matrix(), abc = h.matrix(), bca = h.matrix(), cab = h.matrix(), bac = h.matrix(),
               acb = h.matrix(), cba = h.matrix(), sum2 = h.matrix(), sum3 = h.matrix(), sum4 = h.matrix(),
               sum5 = h.matrix(), result = h.matrix();

  const auto enqueue = [&] {
    h.multiply(a, b, ab);
    h.multiply(b, c, bc);
    h.multiply(c, a, ca);
    h.multiply(b, a, ba);
    h.multiply(a, c, ac);
    h.multiply(c, b, cb);
    h.multiply(ab, c, abc);
    h.multiply(bc, a, bca);
    h.multiply(ca, b, cab);
    h.multiply(ba, c, bac);
    h.multiply(ac, b, acb);
    h.multiply(cb, a, cba);
    h.add(abc, bca, sum2);
    h.add(sum2, cab, sum3);
    h.subtract(sum3, bac, sum4);
    h.subtract(sum4, acb, sum5);
    h.subtract(sum5, cba, result);
  };
  const auto reference = [&] {
    const Matrix A(a.host, h.size()), B(b.host, h.size()), C(c.host, h.size());
    return A * B * C + B * C * A + C * A * B - B * A * C - A * C * B - C * B * A;
  };
  return h.run(result, enqueue, reference);
}
