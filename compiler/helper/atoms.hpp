// SPDX-License-Identifier: Apache-2.0
// Atoms: what the polynomials of a kernel's analysis are made of, and what is known of each wherever no
// launch can matter. An atom is either uniform (an expression over arguments and the NDRange) or a variable
// (an id, a loop counter, or a derived value).
#pragma once

#include <map>
#include <set>
#include <vector>

#include "compiler/helper/poly.hpp"
#include "compiler/interval.hpp"
#include "compiler/kernel_info.hpp"

namespace mkmd::compiler {

struct Atom {
  enum class Kind { uniform, variable, placeholder };
  Kind kind = Kind::placeholder;
  int expression = -1;
  Variable variable;
  bool is_derived() const { return kind == Kind::variable && variable.kind == Variable::Kind::derived; }
  auto operator<=>(const Atom& o) const {
    return std::tuple(kind, expression, variable.kind, variable.index) <=>
           std::tuple(o.kind, o.expression, o.variable.kind, o.variable.index);
  }
};

// Of a derived value.
struct DerivedFacts {
  std::set<int> loops;     // in whose iterations it may differ
  Interval range;          // in which it lies
  int steps = 1;           // to evaluate it
  bool from_data = false;  // it depends on an opaque value
};

class Atoms {
public:
  int uniform(int expression);
  int variable(const Variable& v);
  int placeholder();  // cannot become part of an Affine
  const Atom& operator[](int id) const { return atoms_[static_cast<size_t>(id)]; }

  // By index of derived.
  DerivedFacts& derived(int index) { return derived_[static_cast<size_t>(index)]; }
  const DerivedFacts& derived(int index) const { return derived_[static_cast<size_t>(index)]; }
  void add_derived(DerivedFacts facts) { derived_.push_back(std::move(facts)); }

  void add_choice(int atom) { choices_.insert(atom); }
  std::vector<int> choices(const Poly& p) const;  // atoms of it that are such

  bool is_uniform(const Poly& p) const;
  bool depends_on_loop(const Poly& p, int loop) const;
  Interval range(const Poly& p) const;
  // How many of its terms may have any value of so many bits. A check of such a number says nothing.
  int wild_terms(const Poly& p, unsigned bits) const;
  bool from_data(const Affine& a) const;
  bool from_data(const Poly& p) const;

private:
  int intern(const Atom& a);
  Interval range(const Monomial& m, int64_t factor) const;

  std::vector<Atom> atoms_;
  std::map<Atom, int> ids_;
  std::vector<DerivedFacts> derived_;
  std::set<int> choices_;  // atoms that are 0 or 1
};

}  // namespace mkmd::compiler
