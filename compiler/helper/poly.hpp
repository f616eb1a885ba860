// SPDX-License-Identifier: Apache-2.0
// Poly: a polynomial with integer coefficients over atoms, the form in which the analysis keeps integers and
// addresses. An atom is either uniform (an expression over arguments and the NDRange) or a variable (an id, a
// loop counter, or a derived value). InfoBuilder turns polynomials into the affine forms of a KernelInfo.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "compiler/interval.hpp"
#include "compiler/kernel_info.hpp"

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

struct Atom {
  enum class Kind { uniform, variable, placeholder };
  Kind kind = Kind::placeholder;
  int expression = -1;
  Variable variable;
  auto operator<=>(const Atom& o) const {
    return std::tuple(kind, expression, variable.kind, variable.index) <=>
           std::tuple(o.kind, o.expression, o.variable.kind, o.variable.index);
  }
};

// An integer the program computes in some number of bits: equal to `poly` modulo 2^bits while all checks
// hold.
struct Number {
  Poly poly;
  std::vector<int> checks;  // sorted, into KernelInfo::checks
};
void merge_checks(std::vector<int>& into, const std::vector<int>& from);

// Which value of the program an atom stands for: its identity, and its lane (-1: a scalar).
using Origin = std::pair<const void*, int>;

class InfoBuilder {
public:
  explicit InfoBuilder(KernelInfo& info) : info_(info) {}

  int expression(const Expression& e);
  int uniform(const Expression& e);  // atom
  int variable(Variable v);          // atom
  int placeholder();                 // atom; cannot become part of an Affine
  const Atom& atom(int id) const { return atoms_[static_cast<size_t>(id)]; }

  bool is_uniform(const Poly& p) const;
  bool depends_on_loop(const Poly& p, int loop) const;
  std::optional<Expression> as_expression(const Poly& p) const;  // of a uniform one
  std::optional<Affine> affine(const Poly& p);

  // Requires lo <= p <= hi; adds to the number's checks. False if it cannot be expressed.
  bool check(Number& number, const Poly& p, int64_t lo, int64_t hi);
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
  std::vector<int> choices(const Poly& p) const;  // atoms of it that are such
  // An atom for a value that data make, which lies in this interval.
  std::optional<Number> within(const Origin& origin, const Interval& all, const std::set<int>& loops);
  // An atom for a value of so many bits of which nothing else is known.
  std::optional<Number> opaque(const Origin& origin, unsigned bits, const std::set<int>& loops);
  // The number cut to so many bits, as an exact one; it is itself where a launch shows that nothing is lost.
  std::optional<Number> cut(const Number& n, unsigned bits, bool is_signed);
  // Where no launch can matter.
  Interval range(const Poly& p) const;
  // How many of its terms may have any value of so many bits. A check of such a number says nothing.
  int wild_terms(const Poly& p, unsigned bits) const;
  bool from_data(const Variable& v) const;  // depends on an opaque value
  bool from_data(const Atom& a) const;
  bool from_data(const Affine& a) const;
  bool from_data(const Poly& p) const;
  // x / y and x % y for x >= 0 and y > 0 (or floor semantics), related so that y·(x/y) + x%y can become x
  // again.
  std::optional<Number> quotient(const Number& x, const Number& y, bool floor);
  std::optional<Number> remainder(const Number& x, const Number& y, bool floor);
  Poly simplified(Poly p) const;

  KernelInfo& info() { return info_; }

private:
  struct Division {
    Poly x, y;
    int quotient = -1, remainder = -1;  // atoms
    bool floor = false;
  };
  int intern(const Atom& a);
  // Its index.
  std::optional<int> add_derived(Derived::Op op, const Poly& a, const Poly& b);
  // What is made of the two, and holds where both hold.
  static Number atom_of(int atom, const Number& a, const Number& b);
  std::optional<Number> combine(Expression::Op op, const Number& x, const Number& y);  // uniform ones
  Interval range(const Monomial& m, int64_t factor) const;
  bool is_positive(Number& number, const Poly& divisor);

  KernelInfo& info_;
  std::vector<Atom> atoms_;
  std::map<Atom, int> atom_ids_;
  std::map<Expression, int> expression_ids_;
  std::map<std::tuple<Derived::Op, Poly, Poly>, int> derived_ids_;  // atoms
  std::map<std::tuple<Origin, Poly, Poly>, int> between_ids_;       // atoms
  // By index of derived.
  std::map<int, std::set<int>> derived_loops_;
  std::set<int> choices_;                 // atoms
  std::vector<Interval> derived_ranges_;  // where no launch can matter
  std::vector<int> derived_steps_;        // to evaluate one
  std::set<int> from_data_;
  std::map<std::tuple<Poly, int64_t, int64_t>, int> check_ids_;
  std::vector<Poly> check_polys_;
  std::vector<Division> divisions_;
};

}  // namespace mkmd::compiler
