// SPDX-License-Identifier: Apache-2.0
// The InfoBuilder makes the formulas of a KernelInfo: each expression, check and derived value once. It turns
// polynomials into affine forms, and numbers that are no polynomials of others into atoms of their own.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "compiler/helper/atoms.hpp"

namespace mkmd::compiler {

// Which value of the program an atom stands for: its identity, and its lane (-1: a scalar).
using Origin = std::pair<const void*, int>;

class InfoBuilder {
public:
  explicit InfoBuilder(KernelInfo& info) : info_(info) {}

  Atoms& atoms() { return atoms_; }
  int expression(const Expression& e);
  int uniform(const Expression& e) { return atoms_.uniform(expression(e)); }  // atom
  std::optional<Expression> as_expression(const Poly& p) const;               // of a uniform one
  std::optional<Affine> affine(const Poly& p);

  // Requires lo <= p <= hi; adds to the number's checks. False if it cannot be expressed.
  bool check(Number& number, const Poly& p, int64_t lo, int64_t hi);
  // The same for 0 < p, but not where data decide.
  bool is_positive(Number& number, const Poly& p);
  const Poly& check_poly(int check) const { return check_polys_[static_cast<size_t>(check)]; }
  // An atom that stands for op(a, b), which must be a function: equal operands give the same atom.
  std::optional<Number> derive(Derived::Op op, const Number& a, const Number& b);
  // What an atom alone stands for, if it is a minimum or a maximum.
  struct Extreme {
    bool least;
    Poly a, b;
  };
  std::optional<Extreme> extreme(const Poly& p) const;
  // An atom for a value of which only this is known: it lies between a and b. It equals no other atom, and it
  // counts as dependent on `loops`, in whose iterations it may differ.
  std::optional<Number> between(const Origin& origin, const Number& a, const Number& b,
                                const std::set<int>& loops);
  // An atom that is 0 or 1, and equals no other one. `first`: which of two ways is meant by 0.
  std::optional<Number> choice(const Origin& origin, bool first, const std::set<int>& loops);
  // An atom for a value that data make, which lies in this interval.
  std::optional<Number> within(const Origin& origin, const Interval& all, const std::set<int>& loops);
  // An atom for a value of so many bits of which nothing else is known.
  std::optional<Number> opaque(const Origin& origin, unsigned bits, const std::set<int>& loops);
  // The number cut to so many bits, as an exact one; it is itself where a launch shows that nothing is lost.
  std::optional<Number> cut(const Number& n, unsigned bits, bool is_signed);
  // x / y and x % y for x >= 0 and y > 0 (or floor semantics), related so that y·(x/y) + x%y can become x
  // again.
  std::optional<Number> quotient(const Number& x, const Number& y, bool floor);
  std::optional<Number> remainder(const Number& x, const Number& y, bool floor);
  Poly simplified(Poly p) const;
  // The same modulo 2^bits, without cuts to that many bits or more.
  Poly uncut(Poly p, unsigned bits) const;
  // At the end: drops what is computed from data of which nobody knows where they lie.
  void keep_computed_from_loads();

  KernelInfo& info() { return info_; }

private:
  struct Division {
    Poly x, y;
    int quotient = -1, remainder = -1;  // atoms
    bool floor = false;
  };
  // Its index.
  std::optional<int> add_derived(Derived::Op op, const Poly& a, const Poly& b);
  std::optional<Number> combine(Expression::Op op, const Number& x, const Number& y);  // uniform ones

  KernelInfo& info_;
  Atoms atoms_;
  std::map<Expression, int> expression_ids_;
  std::map<std::tuple<Derived::Op, Poly, Poly>, int> derived_ids_;  // atoms
  std::map<std::tuple<Origin, Poly, Poly>, int> between_ids_;       // atoms
  std::map<std::tuple<Poly, int64_t, int64_t>, int> check_ids_;
  std::vector<Poly> check_polys_;
  std::vector<Division> divisions_;
};

}  // namespace mkmd::compiler
