// SPDX-License-Identifier: Apache-2.0
#include "compiler/digits.hpp"

#include "compiler/interval.hpp"

#include <algorithm>

namespace mkmd::compiler {
namespace {

// A number x and what it is divided by.
struct Division {
  Form x;
  int64_t by = 0;
};

std::optional<int64_t> constant(const Region& region, const Affine& affine) {
  const Interval i = region.interval(region.form(affine));
  return i.bounded() && i.lo == i.hi ? std::optional(i.lo) : std::nullopt;
}

std::optional<Division> division(const Region& region, const Affine& x, int64_t by, bool floored) {
  Division found{region.form(x), by};
  const Interval range = region.interval(found.x);
  // Where nothing is negative, both kinds of division are one. Additions below must not leave 64 bits.
  if (!range.bounded() || by < 1 || by > INT32_MAX || range.lo < INT64_MIN / 2) return std::nullopt;
  if (!floored && range.lo < 0) return std::nullopt;
  return found;
}

// Of what the derived value is the rest.
std::optional<Division> as_rest(const Region& region, const Derived& derived) {
  using Op = Derived::Op;
  const bool is_mask = derived.op == Op::bit_and;
  if (!is_mask && derived.op != Op::modulo && derived.op != Op::remainder) return std::nullopt;
  std::optional<int64_t> by = constant(region, derived.b);
  if (!is_mask) return by ? division(region, derived.a, *by, derived.op == Op::modulo) : std::nullopt;
  const Affine& x = by ? derived.a : derived.b;
  if (!by) by = constant(region, derived.a);
  // A mask …00111 leaves the rest modulo the power of two above it.
  if (!by || *by < 0 || *by >= INT32_MAX || (*by & (*by + 1)) != 0) return std::nullopt;
  return division(region, x, *by + 1, false);
}

bool equal(const Division& a, const Division& b) {
  const Form difference = subtract(a.x, b.x, 0);
  return a.by == b.by && difference.valid && difference.constant() && difference.base == 0;
}

// Of what the derived value is the quotient.
std::optional<Division> as_quotient(const Region& region, const Derived& derived) {
  using Op = Derived::Op;
  if (derived.op != Op::floor_divide && derived.op != Op::divide) return std::nullopt;
  const std::optional<int64_t> by = constant(region, derived.b);
  return by ? division(region, derived.a, *by, derived.op == Op::floor_divide) : std::nullopt;
}

// An address as x, q and r and what else it has.
struct Parts {
  Form others;
  int64_t x = 0, quotient = 0, rest = 0;  // coefficients
};

// Moves a derived value of the address to `to`.
bool move(const Form::Other& from, int64_t& to, Form& others) {
  if (from.coefficient == INT64_MIN || __builtin_add_overflow(to, from.coefficient, &to)) return false;
  others.add(from.variable, -from.coefficient);
  return others.valid;
}

// How often the address has x: what is left has none of its variables. 0: it is not a multiple.
int64_t multiple(const Form& address, const Form& x) {
  int64_t factor = 0;
  const auto fits = [&factor](int64_t in_address, int64_t in_x) {
    if (in_x == 0) return true;
    if (in_address == 0 || in_address == INT64_MIN || in_address % in_x != 0) return false;
    const int64_t here = in_address / in_x;
    if (factor == 0) factor = here;
    return factor == here;
  };
  for (size_t d = 0; d < 3; ++d)
    if (!fits(address.group[d], x.group[d]) || !fits(address.local[d], x.local[d])) return 0;
  for (const Form::Other& o : x.rest()) {
    int64_t in_address = 0;
    for (const Form::Other& a : address.rest())
      if (a.variable == o.variable) in_address = a.coefficient;
    if (!fits(in_address, o.coefficient)) return 0;
  }
  return factor;
}

std::optional<Parts> take_apart(const KernelInfo& info, const Region& region, const Form& address,
                                const Division& of) {
  Parts parts;
  parts.others = address;
  for (const Form::Other& o : address.rest()) {
    if (o.variable.kind != Variable::Kind::derived) continue;
    const Derived& derived = info.derived[static_cast<size_t>(o.variable.index)];
    const std::optional<Division> rest = as_rest(region, derived), quotient = as_quotient(region, derived);
    if (rest && equal(*rest, of) && !move(o, parts.rest, parts.others)) return std::nullopt;
    if (quotient && equal(*quotient, of) && !move(o, parts.quotient, parts.others)) return std::nullopt;
  }
  parts.x = multiple(parts.others, of.x);
  parts.others = subtract(parts.others, of.x, 0, parts.x);
  return parts.others.valid ? std::optional(parts) : std::nullopt;
}

void find_products(Digits& digits, const Interval& x, int64_t by) {
  const int64_t first = floor_divide(x.lo, by), last = floor_divide(x.hi, by);
  const int64_t first_rest = x.lo - first * by, last_rest = x.hi - last * by;
  const auto put = [&digits](int64_t from, int64_t to, int64_t rest_from, int64_t rest_to) {
    if (from <= to) digits.products[static_cast<size_t>(digits.count++)] = {{from, to}, {rest_from, rest_to}};
  };
  if (first == last) return put(first, first, first_rest, last_rest);
  const bool begins = first_rest == 0, ends = last_rest == by - 1;
  put(begins ? first : first + 1, ends ? last : last - 1, 0, by - 1);
  if (!begins) put(first, first, first_rest, by - 1);
  if (!ends) put(last, last, 0, last_rest);
}

// Whether x is one id, which takes each number of its interval, and nothing else moves the address with it.
bool is_free_id(const Region& region, const Form& x, const Form& others) {
  if (x.others_count != 0) return false;
  int dimensions = 0;
  for (size_t d = 0; d < 3; ++d) {
    if (x.group[d] == 0 && x.local[d] == 0) continue;
    ++dimensions;
    const Interval local = region.local[d];
    if (!region.joined(x, d) || (x.local[d] != 1 && x.local[d] != -1)) return false;
    if (local.lo != 0 || local.hi != region.local_size(d) - 1) return false;
    if (others.group[d] != 0 || others.local[d] != 0) return false;
  }
  return dimensions == 1;
}

}  // namespace

Interval reach(const Region& region, const Digits& digits) {
  const Interval others = region.interval(digits.others);
  if (!others.bounded()) return kUnknown;
  Interval all{INT64_MAX, INT64_MIN, true};
  for (int i = 0; i < digits.count; ++i) {
    const auto& [q, r] = digits.products[static_cast<size_t>(i)];
    const int64_t a = digits.quotient_coefficient, b = digits.rest_coefficient;
    Interval here = others;
    if (!multiply_add(here.lo, a, a > 0 ? q.lo : q.hi) || !multiply_add(here.lo, b, b > 0 ? r.lo : r.hi) ||
        !multiply_add(here.hi, a, a > 0 ? q.hi : q.lo) || !multiply_add(here.hi, b, b > 0 ? r.hi : r.lo))
      return kUnknown;
    all = {std::min(all.lo, here.lo), std::max(all.hi, here.hi), true};
  }
  return all;
}

std::optional<Digits> digits(const KernelInfo& info, const Region& region, const Form& address) {
  for (const Form::Other& o : address.rest()) {
    if (o.variable.kind != Variable::Kind::derived) continue;
    const Derived& derived = info.derived[static_cast<size_t>(o.variable.index)];
    std::optional<Division> of = as_rest(region, derived);
    if (!of) of = as_quotient(region, derived);
    const std::optional<Parts> parts = of ? take_apart(info, region, address, *of) : std::nullopt;
    // One of them alone is what any derived value is.
    if (!parts || (parts->x != 0) + (parts->quotient != 0) + (parts->rest != 0) < 2) continue;
    Digits found;
    found.others = parts->others;
    found.quotient_coefficient = parts->quotient;
    if (!multiply_add(found.quotient_coefficient, parts->x, of->by) ||
        __builtin_add_overflow(parts->rest, parts->x, &found.rest_coefficient))
      continue;
    find_products(found, region.interval(of->x), of->by);
    found.exact = is_free_id(region, of->x, found.others) && !found.others.uses_derived();
    return found;
  }
  return std::nullopt;
}

}  // namespace mkmd::compiler
