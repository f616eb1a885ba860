// SPDX-License-Identifier: Apache-2.0
// The InfoBuilder of poly.hpp.
#include "compiler/helper/poly.hpp"

#include <algorithm>

namespace mkmd::compiler {
namespace {
constexpr int kMaxSteps = 200;  // to evaluate a derived value, each time that it is needed
}  // namespace

int InfoBuilder::expression(const Expression& e) {
  auto [it, fresh] = expression_ids_.try_emplace(e, static_cast<int>(info_.expressions.size()));
  if (fresh) info_.expressions.push_back(e);
  return it->second;
}

int InfoBuilder::intern(const Atom& a) {
  if (a.kind != Atom::Kind::placeholder) {
    auto [it, fresh] = atom_ids_.try_emplace(a, static_cast<int>(atoms_.size()));
    if (!fresh) return it->second;
  }
  atoms_.push_back(a);
  return static_cast<int>(atoms_.size()) - 1;
}

int InfoBuilder::uniform(const Expression& e) {
  return intern({Atom::Kind::uniform, expression(e), {}});
}
int InfoBuilder::variable(Variable v) {
  return intern({Atom::Kind::variable, -1, v});
}
int InfoBuilder::placeholder() {
  return intern({});
}

bool InfoBuilder::is_uniform(const Poly& p) const {
  for (const auto& [m, c] : p.terms())
    for (int a : m)
      if (atom(a).kind != Atom::Kind::uniform) return false;
  return true;
}

bool InfoBuilder::depends_on_loop(const Poly& p, int loop) const {
  for (const auto& [m, c] : p.terms())
    for (int a : m) {
      const Atom& at = atom(a);
      if (at.kind == Atom::Kind::placeholder) return true;
      if (at.kind != Atom::Kind::variable) continue;
      if (at.variable.kind == Variable::Kind::loop && at.variable.index == loop) return true;
      if (at.variable.kind == Variable::Kind::derived && derived_loops_.at(at.variable.index).contains(loop))
        return true;
    }
  return false;
}

std::optional<Expression> InfoBuilder::as_expression(const Poly& p) const {
  Expression total(int64_t{0});
  for (const auto& [m, c] : p.terms()) {
    Expression product(int64_t{1});
    for (int a : m) {
      if (atom(a).kind != Atom::Kind::uniform) return std::nullopt;
      product = product * info_.expressions[static_cast<size_t>(atom(a).expression)];
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
      if (atom(a).kind == Atom::Kind::placeholder) return std::nullopt;
      if (atom(a).kind == Atom::Kind::variable) {
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
    result.terms.push_back({atom(key).variable, expression(*coefficient)});
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
  const Interval of_a = range(a), of_b = range(b);
  std::optional<Affine> x = affine(simplified(a)), y = affine(simplified(b));
  if (!x || !y) return std::nullopt;
  const int index = static_cast<int>(info_.derived.size());
  std::set<int> loops;
  int steps = 1;
  bool data = false;
  for (const Affine* side : {&*x, &*y})
    for (const Term& t : side->terms) {
      if (t.variable.kind == Variable::Kind::loop) loops.insert(t.variable.index);
      if (t.variable.kind != Variable::Kind::derived) continue;
      loops.insert(derived_loops_[t.variable.index].begin(), derived_loops_[t.variable.index].end());
      steps += derived_steps_[static_cast<size_t>(t.variable.index)];
      data = data || from_data_.contains(t.variable.index);
    }
  if (steps > kMaxSteps) return std::nullopt;
  const Interval known = apply(op, of_a, of_b);
  if (data && known.known && op != Derived::Op::as_signed && op != Derived::Op::as_unsigned) {
    // Nothing but data: its range is all there is to it.
    *x = {expression(known.lo), {}};
    *y = {expression(known.hi), {}};
    op = Derived::Op::hull;
    steps = 1;
  }
  info_.derived.push_back({op, *x, *y});
  derived_loops_[index] = std::move(loops);
  derived_ranges_.push_back(known);
  derived_steps_.push_back(steps);
  if (data) from_data_.insert(index);
  return index;
}

Interval InfoBuilder::range(const Monomial& m, int64_t factor) const {
  Interval product{factor, factor, true};
  for (int a : m) {
    const Atom& at = atom(a);
    if (at.kind != Atom::Kind::variable || at.variable.kind != Variable::Kind::derived) return kUnknown;
    product = apply(Derived::Op::multiply, product, derived_ranges_[static_cast<size_t>(at.variable.index)]);
  }
  return product;
}

Interval InfoBuilder::range(const Poly& p) const {
  Interval sum{0, 0, true};
  for (const auto& [m, c] : p.terms()) {
    // An atom alone may have a range that is bounded at one end only.
    if (p.terms().size() == 1 && m.size() == 1 && c == 1 && atom(m[0]).kind == Atom::Kind::variable &&
        atom(m[0]).variable.kind == Variable::Kind::derived)
      return derived_ranges_[static_cast<size_t>(atom(m[0]).variable.index)];
    const Interval term = range(m, c);
    if (!term.bounded() || __builtin_add_overflow(sum.lo, term.lo, &sum.lo) ||
        __builtin_add_overflow(sum.hi, term.hi, &sum.hi))
      return kUnknown;
  }
  return sum;
}

int InfoBuilder::wild_terms(const Poly& p, unsigned bits) const {
  const uint64_t most = bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  return static_cast<int>(std::ranges::count_if(p.terms(), [&](const auto& term) {
    const auto& [m, c] = term;
    return std::ranges::any_of(m, [&](int a) {
      if (!from_data(atom(a))) return false;
      const Interval& r = derived_ranges_[static_cast<size_t>(atom(a).variable.index)];
      if (!r.known) return false;
      const uint64_t width = static_cast<uint64_t>(r.hi) - static_cast<uint64_t>(r.lo);
      uint64_t scaled;
      return __builtin_mul_overflow(width, static_cast<uint64_t>(std::abs(std::max(c, -INT64_MAX))),
                                    &scaled) ||
             scaled >= most;
    });
  }));
}

bool InfoBuilder::from_data(const Variable& v) const {
  return v.kind == Variable::Kind::derived && from_data_.contains(v.index);
}

bool InfoBuilder::from_data(const Atom& a) const {
  return a.kind == Atom::Kind::variable && from_data(a.variable);
}

bool InfoBuilder::from_data(const Affine& a) const {
  return std::ranges::any_of(a.terms, [&](const Term& t) { return from_data(t.variable); });
}

bool InfoBuilder::from_data(const Poly& p) const {
  return std::ranges::any_of(p.terms(), [&](const auto& term) {
    return std::ranges::any_of(term.first, [&](int a) { return from_data(atom(a)); });
  });
}

std::optional<Number> InfoBuilder::opaque(const Origin& origin, unsigned bits, const std::set<int>& loops) {
  return within(origin, signed_range(bits), loops);
}

std::optional<Number> InfoBuilder::within(const Origin& origin, const Interval& all,
                                          const std::set<int>& loops) {
  std::optional<Number> n = between(origin, {Poly(all.lo), {}}, {Poly(all.hi), {}}, loops);
  if (n) {
    const int index = atom(*n->poly.single_atom()).variable.index;
    derived_ranges_[static_cast<size_t>(index)] = all;
    from_data_.insert(index);
  }
  return n;
}

std::optional<Number> InfoBuilder::cut(const Number& n, unsigned bits, bool is_signed) {
  if (range(n.poly).within(is_signed ? signed_range(bits) : unsigned_range(bits))) return n;
  return derive(is_signed ? Derived::Op::as_signed : Derived::Op::as_unsigned, n, {Poly(bits), {}});
}

Number InfoBuilder::atom_of(int atom, const Number& a, const Number& b) {
  Number result{Poly::atom(atom), a.checks};
  merge_checks(result.checks, b.checks);
  return result;
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
    it = derived_ids_.emplace(key, variable({Variable::Kind::derived, *index})).first;
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
    derived_loops_[*index].insert(loops.begin(), loops.end());
    it = between_ids_.emplace(key, variable({Variable::Kind::derived, *index})).first;
  }
  return atom_of(it->second, a, b);
}

std::optional<Number> InfoBuilder::choice(const Origin& origin, bool first, const std::set<int>& loops) {
  constexpr int kOther = 32;  // no vector has so many components
  const Origin named{origin.first, origin.second + (first ? 0 : kOther)};
  const std::optional<Number> n = between(named, Number{}, Number{Poly(1), {}}, loops);
  if (n) choices_.insert(*n->poly.single_atom());
  return n;
}

std::vector<int> InfoBuilder::choices(const Poly& p) const {
  std::vector<int> found;
  std::ranges::copy_if(choices_, std::back_inserter(found), [&](int atom) { return p.contains(atom); });
  return found;
}

// Whether the number may count on it: a quotient and a remainder only fit together where the divisor is not
// zero.
bool InfoBuilder::is_positive(Number& number, const Poly& divisor) {
  const Interval known = range(divisor);
  if (known.known && known.lo > 0) return true;
  return !from_data(divisor) && check(number, divisor, 1, INT64_MAX);
}

std::optional<Number> InfoBuilder::quotient(const Number& x, const Number& y, bool floor) {
  if (is_uniform(x.poly) && is_uniform(y.poly))
    return combine(floor ? Expression::Op::floor_divide : Expression::Op::divide, x, y);
  Number above = x, below = y;
  // (u / a) / b is u / (a·b), towards zero for any signs and by floor for positive ones (a floor is only ever
  // asked for those): one form for both, so that nested divisions can be taken together.
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
  if (is_uniform(x.poly) && is_uniform(y.poly))
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
