// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/info_builder.hpp"

#include <algorithm>

#include "compiler/ingredients.hpp"

namespace mkmd::compiler {
namespace {
constexpr int kMaxSteps = 200;  // to evaluate a derived value, each time that it is needed

// An atom that is made of the two, and holds where both hold.
Number atom_of(int atom, const Number& a, const Number& b) {
  Number result{Poly::atom(atom), a.checks};
  merge_checks(result.checks, b.checks);
  return result;
}
}  // namespace

int InfoBuilder::expression(const Expression& e) {
  auto [it, fresh] = expression_ids_.try_emplace(e, static_cast<int>(info_.expressions.size()));
  if (fresh) info_.expressions.push_back(e);
  return it->second;
}

std::optional<Expression> InfoBuilder::as_expression(const Poly& p) const {
  Expression total(int64_t{0});
  for (const auto& [m, c] : p.terms()) {
    Expression product(int64_t{1});
    for (int a : m) {
      if (atoms_[a].kind != Atom::Kind::uniform) return std::nullopt;
      product = product * info_.expressions[static_cast<size_t>(atoms_[a].expression)];
    }
    total = total + product * Expression(c);
  }
  return total;
}

std::optional<Affine> InfoBuilder::affine(const Poly& p) {
  // Sort the terms by the variable they are a multiple of; products of variables become derived values.
  std::map<int, Poly> by_variable;  // atom → factor; -1: no variable
  for (const auto& [m, c] : p.terms()) {
    Poly factor(c);
    std::vector<int> variables;
    for (int a : m) {
      if (atoms_[a].kind == Atom::Kind::placeholder) return std::nullopt;
      if (atoms_[a].kind == Atom::Kind::variable) {
        variables.push_back(a);
      } else {
        std::optional<Poly> next = Poly::product(factor, Poly::atom(a));
        if (!next) return std::nullopt;
        factor = *next;
      }
    }
    int key = -1;
    for (int v : variables) {
      if (key == -1) {
        key = v;
        continue;
      }
      std::optional<Number> both = derive(Derived::Op::multiply, {Poly::atom(key), {}}, {Poly::atom(v), {}});
      if (!both) return std::nullopt;
      key = *both->poly.single_atom();
    }
    std::optional<Poly> total = Poly::sum(by_variable[key], factor);
    if (!total) return std::nullopt;
    by_variable[key] = *total;
  }
  Affine result;
  std::optional<Expression> base = as_expression(by_variable[-1]);
  if (!base) return std::nullopt;
  result.base = expression(*base);
  for (const auto& [key, factor] : by_variable) {
    if (key == -1) continue;
    std::optional<Expression> coefficient = as_expression(factor);
    if (!coefficient) return std::nullopt;
    result.terms.push_back({atoms_[key].variable, expression(*coefficient)});
  }
  if (result.terms.size() > 8) return std::nullopt;
  return result;
}

bool InfoBuilder::check(Number& number, const Poly& p, int64_t lo, int64_t hi) {
  if (std::optional<int64_t> c = p.constant()) return *c >= lo && *c <= hi;
  auto it = check_ids_.find({p, lo, hi});
  if (it == check_ids_.end()) {
    std::optional<Affine> value = affine(simplified(p));
    if (!value) return false;
    it = check_ids_.emplace(std::tuple(p, lo, hi), static_cast<int>(info_.checks.size())).first;
    info_.checks.push_back({*value, lo, hi});
    check_polys_.push_back(p);
  }
  merge_checks(number.checks, {it->second});
  return true;
}

std::optional<int> InfoBuilder::add_derived(Derived::Op op, const Poly& a, const Poly& b) {
  const Interval of_a = atoms_.range(a), of_b = atoms_.range(b);
  std::optional<Affine> x = affine(simplified(a)), y = affine(simplified(b));
  if (!x || !y) return std::nullopt;
  const int index = static_cast<int>(info_.derived.size());
  DerivedFacts facts;
  for (const Affine* side : {&*x, &*y})
    for (const Term& t : side->terms) {
      if (t.variable.kind == Variable::Kind::loop) facts.loops.insert(t.variable.index);
      if (t.variable.kind != Variable::Kind::derived) continue;
      const DerivedFacts& of_term = atoms_.derived(t.variable.index);
      facts.loops.insert(of_term.loops.begin(), of_term.loops.end());
      facts.steps += of_term.steps;
      facts.from_data = facts.from_data || of_term.from_data;
    }
  if (facts.steps > kMaxSteps) return std::nullopt;
  facts.range = apply(op, of_a, of_b);
  int computed = -1;
  if (facts.from_data && facts.range.known && op != Derived::Op::as_signed &&
      op != Derived::Op::as_unsigned) {
    // Nothing but data: its range is all there is to it, unless the data are looked into.
    if (op != Derived::Op::hull) {
      computed = static_cast<int>(info_.computed.size());
      info_.computed.push_back({op, *x, *y});
    }
    *x = {expression(facts.range.lo), {}};
    *y = {expression(facts.range.hi), {}};
    op = Derived::Op::hull;
    facts.steps = 1;
  }
  info_.derived.push_back({op, *x, *y, -1, computed});
  atoms_.add_derived(std::move(facts));
  return index;
}

Poly InfoBuilder::uncut(Poly p, unsigned bits) const {
  const auto replace_one = [&] {
    for (const auto& [key, atom] : derived_ids_) {
      const auto& [op, whole, width] = key;
      if (op != Derived::Op::as_signed && op != Derived::Op::as_unsigned) continue;
      if (width.constant().value_or(0) < int64_t{bits} || !p.contains(atom)) continue;
      const auto parts = p.linear_in(atom);
      const std::optional<Poly> product = parts ? Poly::product(parts->first, whole) : std::nullopt;
      const std::optional<Poly> sum = product ? Poly::sum(parts->second, *product) : std::nullopt;
      if (!sum) continue;
      p = *sum;
      return true;
    }
    return false;
  };
  while (replace_one()) {
  }
  return p;
}

void InfoBuilder::keep_computed_from_loads() {
  const std::vector<Derived> all = info_.computed;
  std::vector<Derived> kept;
  for (Derived& d : info_.derived) {
    if (d.computed < 0) continue;
    Ingredients parts(info_);
    parts.add(d);
    if (parts.arguments.empty()) {
      d.computed = -1;
      continue;
    }
    kept.push_back(all[static_cast<size_t>(d.computed)]);
  }
  int next = 0;
  for (Derived& d : info_.derived)
    if (d.computed >= 0) d.computed = next++;
  info_.computed = std::move(kept);
}

std::optional<Number> InfoBuilder::opaque(const Origin& origin, unsigned bits, const std::set<int>& loops) {
  return within(origin, signed_range(bits), loops);
}

std::optional<Number> InfoBuilder::within(const Origin& origin, const Interval& all,
                                          const std::set<int>& loops) {
  std::optional<Number> n = between(origin, {Poly(all.lo), {}}, {Poly(all.hi), {}}, loops);
  if (n) {
    const int index = atoms_[*n->poly.single_atom()].variable.index;
    DerivedFacts& facts = atoms_.derived(index);
    facts.range = all;
    facts.from_data = true;
  }
  return n;
}

std::optional<Number> InfoBuilder::cut(const Number& n, unsigned bits, bool is_signed) {
  if (atoms_.range(n.poly).within(is_signed ? signed_range(bits) : unsigned_range(bits))) return n;
  return derive(is_signed ? Derived::Op::as_signed : Derived::Op::as_unsigned, n, {Poly(bits), {}});
}

std::optional<Number> InfoBuilder::combine(Expression::Op op, const Number& x, const Number& y) {
  const std::optional<Expression> a = as_expression(x.poly), b = as_expression(y.poly);
  if (!a || !b) return std::nullopt;
  return atom_of(uniform(Expression::combine(op, *a, *b)), x, y);
}

std::optional<Number> InfoBuilder::derive(Derived::Op op, const Number& a, const Number& b) {
  const auto key = std::tuple(op, a.poly, b.poly);
  auto it = derived_ids_.find(key);
  if (it == derived_ids_.end()) {
    const std::optional<int> index = add_derived(op, a.poly, b.poly);
    if (!index) return std::nullopt;
    it = derived_ids_.emplace(key, atoms_.variable({Variable::Kind::derived, *index})).first;
  }
  return atom_of(it->second, a, b);
}

std::optional<InfoBuilder::Extreme> InfoBuilder::extreme(const Poly& p) const {
  const std::optional<int> wanted = p.single_atom();
  if (!wanted) return std::nullopt;
  for (const auto& [key, atom] : derived_ids_) {
    const auto& [op, a, b] = key;
    if (atom == *wanted && (op == Derived::Op::minimum || op == Derived::Op::maximum))
      return Extreme{op == Derived::Op::minimum, a, b};
  }
  return std::nullopt;
}

std::optional<Number> InfoBuilder::between(const Origin& origin, const Number& a, const Number& b,
                                           const std::set<int>& loops) {
  // The operands are part of the key: while a loop counter is being looked for they may be other ones.
  const auto key = std::tuple(origin, a.poly, b.poly);
  auto it = between_ids_.find(key);
  if (it == between_ids_.end()) {
    const std::optional<int> index = add_derived(Derived::Op::hull, a.poly, b.poly);
    if (!index) return std::nullopt;
    atoms_.derived(*index).loops.insert(loops.begin(), loops.end());
    it = between_ids_.emplace(key, atoms_.variable({Variable::Kind::derived, *index})).first;
  }
  return atom_of(it->second, a, b);
}

std::optional<Number> InfoBuilder::choice(const Origin& origin, bool first, const std::set<int>& loops) {
  constexpr int kOther = 32;  // no vector has so many components
  const Origin named{origin.first, origin.second + (first ? 0 : kOther)};
  const std::optional<Number> n = between(named, Number{}, Number{Poly(1), {}}, loops);
  if (n) atoms_.add_choice(*n->poly.single_atom());
  return n;
}

// Whether the number may count on it: a quotient and a remainder only fit together where the divisor is not
// zero.
bool InfoBuilder::is_positive(Number& number, const Poly& p) {
  const Interval known = atoms_.range(p);
  if (known.known && known.lo > 0) return true;
  return !atoms_.from_data(p) && check(number, p, 1, INT64_MAX);
}

std::optional<Number> InfoBuilder::quotient(const Number& x, const Number& y, bool floor) {
  if (atoms_.is_uniform(x.poly) && atoms_.is_uniform(y.poly))
    return combine(floor ? Expression::Op::floor_divide : Expression::Op::divide, x, y);
  Number above = x, below = y;
  // (u / a) / b is u / (a·b): towards zero for any signs, and by floor for positive ones. A floor is only
  // ever asked for those. One form serves both, so that nested divisions can be taken together.
  if (std::optional<int> single = x.poly.single_atom())
    for (const Division& d : divisions_)
      if (d.quotient == *single && d.floor == floor) {
        std::optional<Poly> product = Poly::product(d.y, y.poly);
        if (!product) break;
        above.poly = d.x;
        below.poly = *product;
        break;
      }
  std::optional<Number> q = derive(floor ? Derived::Op::floor_divide : Derived::Op::divide, above, below);
  if (!q) return std::nullopt;
  if (!is_positive(*q, below.poly)) return q;
  const int atom_id = *q->poly.single_atom();
  for (Division& d : divisions_)
    if (d.x == above.poly && d.y == below.poly && d.floor == floor) return q;
  divisions_.push_back({above.poly, below.poly, atom_id, -1, floor});
  return q;
}

std::optional<Number> InfoBuilder::remainder(const Number& x, const Number& y, bool floor) {
  if (atoms_.is_uniform(x.poly) && atoms_.is_uniform(y.poly))
    return combine(floor ? Expression::Op::modulo : Expression::Op::remainder, x, y);
  std::optional<Number> q = quotient(x, y, floor);
  std::optional<Number> r = derive(floor ? Derived::Op::modulo : Derived::Op::remainder, x, y);
  if (!q || !r || !is_positive(*r, y.poly)) return r;
  const int remainder_atom = *r->poly.single_atom();
  for (const Division& d : divisions_)
    if (d.remainder == remainder_atom) return r;
  divisions_.push_back({x.poly, y.poly, *q->poly.single_atom(), remainder_atom, floor});
  return r;
}

Poly InfoBuilder::simplified(Poly p) const {
  // c·y·(x / y) + c·(x % y) is c·x. Again until nothing changes: inner divisions come free.
  for (bool changed = true; changed;) {
    changed = false;
    for (const Division& d : divisions_) {
      if (d.remainder < 0 || !p.contains(d.remainder) || !p.contains(d.quotient)) continue;
      const auto r = p.linear_in(d.remainder);
      if (!r) continue;
      const auto q = r->second.linear_in(d.quotient);
      if (!q || r->first.contains(d.quotient)) continue;
      const std::optional<Poly> wanted = Poly::product(r->first, d.y);
      if (!wanted || *wanted != q->first) continue;
      const std::optional<Poly> whole = Poly::product(r->first, d.x);
      const std::optional<Poly> next = whole ? Poly::sum(q->second, *whole) : std::nullopt;
      if (!next) continue;
      p = *next;
      changed = true;
    }
  }
  return p;
}

}  // namespace mkmd::compiler
