// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/poly.hpp"

#include <algorithm>

namespace mkmd::compiler {
namespace {
constexpr size_t kMaxTerms = 64, kMaxDegree = 6;
}  // namespace

std::optional<Poly> Poly::sum(const Poly& a, const Poly& b, int64_t factor) {
  Poly r = a;
  for (const auto& [m, c] : b.terms_) {
    int64_t scaled, total;
    if (__builtin_mul_overflow(c, factor, &scaled)) return std::nullopt;
    auto it = r.terms_.find(m);
    if (it == r.terms_.end()) {
      r.terms_[m] = scaled;
      continue;
    }
    if (__builtin_add_overflow(it->second, scaled, &total)) return std::nullopt;
    if (total == 0)
      r.terms_.erase(it);
    else
      it->second = total;
  }
  if (r.terms_.size() > kMaxTerms) return std::nullopt;
  return r;
}

std::optional<Poly> Poly::product(const Poly& a, const Poly& b) {
  Poly r;
  for (const auto& [m, c] : a.terms_)
    for (const auto& [n, d] : b.terms_) {
      Monomial both;
      std::merge(m.begin(), m.end(), n.begin(), n.end(), std::back_inserter(both));
      int64_t product;
      if (both.size() > kMaxDegree || __builtin_mul_overflow(c, d, &product)) return std::nullopt;
      Poly one;
      one.terms_[both] = product;
      std::optional<Poly> next = sum(r, one);
      if (!next) return std::nullopt;
      r = std::move(*next);
    }
  return r;
}

std::optional<int64_t> Poly::constant() const {
  if (terms_.empty()) return 0;
  if (terms_.size() == 1 && terms_.begin()->first.empty()) return terms_.begin()->second;
  return std::nullopt;
}

std::optional<int> Poly::single_atom() const {
  if (terms_.size() != 1 || terms_.begin()->first.size() != 1 || terms_.begin()->second != 1)
    return std::nullopt;
  return terms_.begin()->first[0];
}

bool Poly::contains(int atom) const {
  return std::ranges::any_of(terms_, [&](const auto& t) { return std::ranges::count(t.first, atom) != 0; });
}

std::optional<std::pair<Poly, Poly>> Poly::linear_in(int atom) const {
  Poly factor, rest;
  for (const auto& [m, c] : terms_) {
    const auto power = std::ranges::count(m, atom);
    if (power > 1) return std::nullopt;
    if (power == 0) {
      rest.terms_[m] = c;
    } else {
      Monomial others;
      std::ranges::copy_if(m, std::back_inserter(others), [&](int a) { return a != atom; });
      factor.terms_[others] = c;
    }
  }
  return std::pair(factor, rest);
}

void merge_checks(std::vector<int>& into, const std::vector<int>& from) {
  std::vector<int> all;
  std::ranges::set_union(into, from, std::back_inserter(all));
  into = std::move(all);
}

}  // namespace mkmd::compiler
