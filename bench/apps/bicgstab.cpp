// SPDX-License-Identifier: Apache-2.0
// Biconjugate gradient stabilized method for A x = b from x = 0; eleven operations per iteration as in the
// MKMD paper (Table 3). The scalars stay on the device, so all iterations are enqueued back to back. A dot
// product is partial sums per work-group. The small kernel that makes a scalar from them adds them up.
#include "harness.h"

#include <cmath>

using namespace bench;

namespace {

// The identity plus noise: well conditioned, and converging slowly enough to use 50 iterations.
Harness::Fill system_matrix(int n) {
  return [n](std::vector<float>& values, Random& random) {
    const float bound = 1.4f / std::sqrt(float(n));
    for (float& value : values)
      value = random.uniform(-bound, bound);
    for (int i = 0; i < n; ++i)
      values[size_t(i) * n + i] = 1.0f;
  };
}

double ratio(double numerator, double denominator) {
  return std::fabs(denominator) > 1e-30 ? numerator / denominator : 0.0;
}

Matrix solve(const Matrix& a, const Matrix& b, int iterations) {
  const int n = b.rows;
  Matrix x(n, 1), r = b, p(n, 1), v(n, 1);
  double rho = 1, alpha = 1, omega = 1;
  for (int i = 0; i < iterations; ++i) {
    const double rho_next = dot(b, r);
    const double beta = ratio(rho_next, rho) * ratio(alpha, omega);
    rho = rho_next;
    p = r + beta * (p - omega * v);
    v = a * p;
    alpha = ratio(rho, dot(b, v));
    const Matrix s = r - alpha * v;
    const Matrix t = a * s;
    omega = ratio(dot(t, s), dot(t, t));
    x = x + alpha * p + omega * s;
    r = s - omega * t;
  }
  return x;
}

}  // namespace

int main(int argc, char** argv) {
  Harness h(argc, argv, {.size = 2048, .iterations = 50});
  const int n = h.size();
  const int groups = h.vector_groups();
  const Input& a = h.input_matrix(system_matrix(n));
  const Input& b = h.input_vector();  // also r0, the shadow residual
  const Buffer x = h.vector(), r = h.vector(), p = h.vector(), v = h.vector(), s = h.vector(), t = h.vector();
  const Buffer rho = h.scalar(), beta = h.scalar(), alpha = h.scalar(), omega = h.scalar();
  const Buffer sums = h.partial_sums(), sums_ts = h.partial_sums(), sums_tt = h.partial_sums();

  const auto enqueue = [&] {
    h.over_vector("begin_vectors", b, r, x, p, v, n);
    h.launch("begin_scalars", {1}, {1}, rho, alpha, omega);
    for (int i = 0; i < h.iterations(); ++i) {
      h.over_vector("dot_partial", b, r, sums, n);  // 1: rho and beta
      h.launch("make_beta", {1}, {1}, sums, groups, rho, alpha, omega, beta);
      h.over_vector("update_direction", r, beta, omega, v, p, n);  // 2
      h.multiply_vector(a, p, v);                                  // 3
      h.over_vector("dot_partial", b, v, sums, n);                 // 4: alpha
      h.launch("make_alpha", {1}, {1}, sums, groups, rho, alpha);
      h.over_vector("minus_scaled", r, alpha, v, s, n);                   // 5
      h.multiply_vector(a, s, t);                                         // 6
      h.over_vector("dot_partial", t, s, sums_ts, n);                     // 7
      h.over_vector("dot_partial", t, t, sums_tt, n);                     // 8
      h.launch("make_omega", {1}, {1}, sums_ts, sums_tt, groups, omega);  // 9
      h.over_vector("update_solution", x, alpha, p, omega, s, n);         // 10
      h.over_vector("minus_scaled", s, omega, t, r, n);                   // 11
    }
  };
  const auto reference = [&] { return solve(Matrix(a.host, n), Matrix(b.host, 1), h.iterations()); };
  return h.run(x, enqueue, reference);
}
