// SPDX-License-Identifier: Apache-2.0
// Poly: a polynomial with integer coefficients over atoms, the form in which the analysis keeps integers and
// addresses. Atoms are numbered (atoms.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace mkmd::compiler {

using Monomial = std::vector<int>;  // atoms, sorted; a repeated atom is a power

class Poly {
public:
  Poly() = default;
  explicit Poly(int64_t constant) {
    if (constant) terms_[{}] = constant;
  }
  static Poly atom(int atom) {
    Poly p;
    p.terms_[{atom}] = 1;
    return p;
  }

  // Nothing when a coefficient overflows or the polynomial grows beyond what an address ever needs.
  static std::optional<Poly> sum(const Poly& a, const Poly& b, int64_t factor_of_b = 1);
  static std::optional<Poly> product(const Poly& a, const Poly& b);

  const std::map<Monomial, int64_t>& terms() const { return terms_; }
  std::optional<int64_t> constant() const;
  std::optional<int> single_atom() const;  // when the polynomial is just that
  bool contains(int atom) const;
  // The factor of `atom` in the terms which have it once, and the terms without it.
  std::optional<std::pair<Poly, Poly>> linear_in(int atom) const;
  auto operator<=>(const Poly&) const = default;

private:
  std::map<Monomial, int64_t> terms_;
};

// An integer the program computes in some number of bits: equal to `poly` modulo 2^bits while all checks
// hold.
struct Number {
  Poly poly;
  std::vector<int> checks;  // sorted, into KernelInfo::checks
};
void merge_checks(std::vector<int>& into, const std::vector<int>& from);

}  // namespace mkmd::compiler
