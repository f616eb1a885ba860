// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/atoms.hpp"

#include <algorithm>

namespace mkmd::compiler {

int Atoms::intern(const Atom& a) {
  if (a.kind != Atom::Kind::placeholder) {
    auto [it, fresh] = ids_.try_emplace(a, static_cast<int>(atoms_.size()));
    if (!fresh) return it->second;
  }
  atoms_.push_back(a);
  return static_cast<int>(atoms_.size()) - 1;
}

int Atoms::uniform(int expression) {
  return intern({Atom::Kind::uniform, expression, {}});
}
int Atoms::variable(const Variable& v) {
  return intern({Atom::Kind::variable, -1, v});
}
int Atoms::placeholder() {
  return intern({});
}

std::vector<int> Atoms::choices(const Poly& p) const {
  std::vector<int> found;
  std::ranges::copy_if(choices_, std::back_inserter(found), [&](int atom) { return p.contains(atom); });
  return found;
}

bool Atoms::is_uniform(const Poly& p) const {
  for (const auto& [m, c] : p.terms())
    for (int a : m)
      if ((*this)[a].kind != Atom::Kind::uniform) return false;
  return true;
}

bool Atoms::depends_on_loop(const Poly& p, int loop) const {
  for (const auto& [m, c] : p.terms())
    for (int a : m) {
      const Atom& at = (*this)[a];
      if (at.kind == Atom::Kind::placeholder) return true;
      if (at.kind != Atom::Kind::variable) continue;
      if (at.variable.kind == Variable::Kind::loop && at.variable.index == loop) return true;
      if (at.is_derived() && derived(at.variable.index).loops.contains(loop)) return true;
    }
  return false;
}

Interval Atoms::range(const Monomial& m, int64_t factor) const {
  Interval product{factor, factor, true};
  for (int a : m) {
    const Atom& at = (*this)[a];
    if (!at.is_derived()) return kUnknown;
    product = apply(Derived::Op::multiply, product, derived(at.variable.index).range);
  }
  return product;
}

Interval Atoms::range(const Poly& p) const {
  Interval sum{0, 0, true};
  for (const auto& [m, c] : p.terms()) {
    // An atom alone may have a range that is bounded at one end only.
    if (p.terms().size() == 1 && m.size() == 1 && c == 1 && (*this)[m[0]].is_derived())
      return derived((*this)[m[0]].variable.index).range;
    const Interval term = range(m, c);
    if (!term.bounded() || __builtin_add_overflow(sum.lo, term.lo, &sum.lo) ||
        __builtin_add_overflow(sum.hi, term.hi, &sum.hi))
      return kUnknown;
  }
  return sum;
}

int Atoms::wild_terms(const Poly& p, unsigned bits) const {
  const uint64_t most = bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  return static_cast<int>(std::ranges::count_if(p.terms(), [&](const auto& term) {
    const auto& [m, c] = term;
    return std::ranges::any_of(m, [&](int a) {
      const Atom& at = (*this)[a];
      if (!at.is_derived()) return false;
      const DerivedFacts& facts = derived(at.variable.index);
      if (!facts.from_data || !facts.range.known) return false;
      const uint64_t width = static_cast<uint64_t>(facts.range.hi) - static_cast<uint64_t>(facts.range.lo);
      uint64_t scaled;
      return __builtin_mul_overflow(width, static_cast<uint64_t>(std::abs(std::max(c, -INT64_MAX))),
                                    &scaled) ||
             scaled >= most;
    });
  }));
}

bool Atoms::from_data(const Affine& a) const {
  return std::ranges::any_of(a.terms, [&](const Term& t) {
    return t.variable.kind == Variable::Kind::derived && derived(t.variable.index).from_data;
  });
}

bool Atoms::from_data(const Poly& p) const {
  return std::ranges::any_of(p.terms(), [&](const auto& term) {
    return std::ranges::any_of(term.first, [&](int a) {
      return (*this)[a].is_derived() && derived((*this)[a].variable.index).from_data;
    });
  });
}

}  // namespace mkmd::compiler
