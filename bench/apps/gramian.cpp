// SPDX-License-Identifier: Apache-2.0
// Reachability Gramian: A P + P A^T + B B^T.
// One of the equations of the MKMD paper (Table 3); the harness writes the inputs, times and checks.
#include "harness.h"

using namespace bench;

int main(int argc, char** argv) {
  Harness h(argc, argv, {.size = 768});
  const Input& a = h.input_matrix();
  const Input& p = h.input_matrix();
  const Input& b = h.input_matrix();
  const Buffer ap = h.matrix(), at = h.matrix(), pat = h.matrix(), sum = h.matrix(), bt = h.matrix(),
               bbt = h.matrix(), result = h.matrix();

  const auto enqueue = [&] {
    h.multiply(a, p, ap);
    h.transpose(a, at);
    h.multiply(p, at, pat);
    h.add(ap, pat, sum);
    h.transpose(b, bt);
    h.multiply(b, bt, bbt);
    h.add(sum, bbt, result);
  };
  const auto reference = [&] {
    const Matrix A(a.host, h.size()), P(p.host, h.size()), B(b.host, h.size());
    return A * P + P * transposed(A) + B * transposed(B);
  };
  return h.run(result, enqueue, reference);
}
