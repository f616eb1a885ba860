// SPDX-License-Identifier: Apache-2.0
// A matrix put together from its singular value decomposition: U S V^T.
// One of the equations of the MKMD paper (Table 3); the harness writes the inputs, times and checks.
#include "harness.h"

using namespace bench;

int main(int argc, char** argv) {
  Harness h(argc, argv, {.size = 896});
  const Input& u = h.input_matrix();
  const Input& s = h.input_matrix();
  const Input& v = h.input_matrix();
  const Buffer us = h.matrix(), vt = h.matrix(), result = h.matrix();

  const auto enqueue = [&] {
    h.multiply(u, s, us);
    h.transpose(v, vt);
    h.multiply(us, vt, result);
  };
  const auto reference = [&] {
    const Matrix U(u.host, h.size()), S(s.host, h.size()), V(v.host, h.size());
    return U * S * transposed(V);
  };
  return h.run(result, enqueue, reference);
}
