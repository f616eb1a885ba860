// SPDX-License-Identifier: Apache-2.0
#include "compiler/region.hpp"

#include "compiler/digits.hpp"

#include <algorithm>

namespace mkmd::compiler {
namespace {

// Adds coefficient · variable to an interval; false when the result is not known.
bool accumulate(Interval& sum, int64_t coefficient, const Interval& variable) {
  if (coefficient == 0) return true;
  if (!variable.bounded()) return false;
  return coefficient > 0 ? multiply_add(sum.lo, coefficient, variable.lo) &&
                               multiply_add(sum.hi, coefficient, variable.hi)
                         : multiply_add(sum.lo, coefficient, variable.hi) &&
                               multiply_add(sum.hi, coefficient, variable.lo);
}

}  // namespace

bool Form::constant() const {
  for (size_t d = 0; d < 3; ++d)
    if (group[d] || local[d]) return false;
  return others_count == 0;
}

bool Form::uses_derived() const {
  return std::ranges::any_of(rest(),
                             [](const Other& o) { return o.variable.kind == Variable::Kind::derived; });
}

void Form::add(const Variable& variable, int64_t coefficient) {
  for (int i = 0; i < others_count; ++i) {
    Other& other = others[static_cast<size_t>(i)];
    if (other.variable != variable) continue;
    if (__builtin_add_overflow(other.coefficient, coefficient, &other.coefficient)) valid = false;
    if (other.coefficient == 0) other = others[static_cast<size_t>(--others_count)];
    return;
  }
  if (coefficient == 0) return;
  if (others_count == kMaxOthers) {
    valid = false;
  } else {
    others[static_cast<size_t>(others_count++)] = {variable, coefficient};
  }
}

Form subtract(const Form& a, const Form& b, int64_t constant, int64_t factor) {
  Form r = a;
  r.valid = a.valid && b.valid && !__builtin_sub_overflow(r.base, constant, &r.base);
  const auto less = [&](int64_t& from, int64_t coefficient) {
    int64_t product;
    if (__builtin_mul_overflow(coefficient, factor, &product) || __builtin_sub_overflow(from, product, &from))
      r.valid = false;
  };
  less(r.base, b.base);
  for (size_t d = 0; d < 3; ++d) {
    less(r.group[d], b.group[d]);
    less(r.local[d], b.local[d]);
  }
  for (const Form::Other& o : b.rest()) {
    int64_t c = 0;
    less(c, o.coefficient);
    r.add(o.variable, c);
  }
  return r;
}

Region::Region(const KernelInfo& info, std::span<const LaunchFootprints::Value> values,
               const std::array<int64_t, 3>& local_size, const std::array<int64_t, 3>& offset)
    : info_(info), values_(values), local_size_(local_size), offset_(offset), loops_(info.loops.size()),
      derived_limits_(info.derived.size()) {
  constraints_.reserve(8);
}

void Region::start(const GroupBox& box) {
  empty_ = false;
  exact_ = true;
  constraints_.clear();
  for (size_t d = 0; d < 3; ++d) {
    const auto lo = static_cast<int64_t>(box.lo[d]), hi = static_cast<int64_t>(box.hi[d]);
    if (lo >= hi) empty_ = true;
    group[d] = {lo, hi - 1};
    local[d] = {0, local_size_[d] - 1};
    id[d] = {lo * local_size_[d], hi * local_size_[d] - 1};
  }
  std::ranges::fill(loops_, kUnknown);
  std::ranges::fill(derived_limits_, kUnknown);
}

void Region::add(Form& f, const Affine& affine, int64_t factor, bool with_limits) const {
  const auto& base = values_[static_cast<size_t>(affine.base)];
  if (!base.known || !multiply_add(f.base, factor, base.value)) f.valid = false;
  for (const Term& t : affine.terms) {
    const auto& coefficient = values_[static_cast<size_t>(t.coefficient)];
    int64_t c = 0;
    if (!coefficient.known || __builtin_mul_overflow(coefficient.value, factor, &c)) f.valid = false;
    const auto d = static_cast<size_t>(t.variable.index);
    switch (t.variable.kind) {
    case Variable::Kind::global_id:
      if (!multiply_add(f.base, c, offset_[d]) || !multiply_add(f.group[d], c, local_size_[d]) ||
          __builtin_add_overflow(f.local[d], c, &f.local[d]))
        f.valid = false;
      break;
    case Variable::Kind::group_id:
      if (__builtin_add_overflow(f.group[d], c, &f.group[d])) f.valid = false;
      break;
    case Variable::Kind::local_id:
      if (__builtin_add_overflow(f.local[d], c, &f.local[d])) f.valid = false;
      break;
    case Variable::Kind::loop:
      f.add(t.variable, c);
      break;
    case Variable::Kind::derived: {
      const Derived& derived = info_.derived[d];
      if (derived.op == Derived::Op::as_signed || derived.op == Derived::Op::as_unsigned) {
        const Form whole = form(derived.a, with_limits);
        const Interval range = interval(whole, with_limits);
        const Interval bits = interval(form(derived.b, with_limits), with_limits);
        const Interval kept = apply(derived.op, range, bits);
        if (range.bounded() && kept.lo == range.lo && kept.hi == range.hi) {
          add(f, derived.a, c, with_limits);
          break;
        }
      }
      f.add(t.variable, c);
      break;
    }
    }
  }
}

Form Region::form(const Affine& affine, bool with_limits) const {
  Form f;
  add(f, affine, 1, with_limits);
  return f;
}

bool Region::joined(const Form& f, size_t d) const {
  int64_t product;
  return f.local[d] != 0 && !__builtin_mul_overflow(f.local[d], local_size_[d], &product) &&
         product == f.group[d];
}

Interval Region::interval(const Form& f) const {
  return interval(f, true);
}

bool Region::implied(const Form& constraint) const {
  const Interval i = interval(constraint, false);
  return i.known && i.lo >= 0;
}

Interval Region::interval(const Form& f, bool with_limits) const {
  if (!f.valid) return kUnknown;
  Interval sum{f.base, f.base, true};
  for (size_t d = 0; d < 3; ++d) {
    const bool ok = joined(f, d)
                        ? accumulate(sum, f.local[d], id[d])
                        : accumulate(sum, f.group[d], group[d]) && accumulate(sum, f.local[d], local[d]);
    if (!ok) return kUnknown;
  }
  for (const Form::Other& o : f.rest()) {
    const Interval v = o.variable.kind == Variable::Kind::loop ? loop(o.variable.index)
                                                               : derived(o.variable.index, with_limits);
    if (!accumulate(sum, o.coefficient, v)) return kUnknown;
  }
  return sum;
}

// Guards say more of a sum than of its parts. f is at least f - m·c for each c that is not negative.
Interval Region::related(const Form& f) const {
  Interval narrowed = interval(f, true);
  if (!narrowed.bounded() || !f.uses_derived()) return narrowed;
  for (const Form& c : constraints_)
    for (const Form::Other& mine : f.rest())
      for (const Form::Other& other : c.rest()) {
        if (mine.variable != other.variable || mine.variable.kind != Variable::Kind::derived) continue;
        const int64_t m = other.coefficient == -1 ? -std::max(mine.coefficient, -INT64_MAX)
                                                  : mine.coefficient / other.coefficient;
        const Interval rest = interval(subtract(f, c, 0, m), true);
        if (m > 0 && rest.bounded()) narrowed.lo = std::max(narrowed.lo, rest.lo);
        if (m < 0 && rest.bounded()) narrowed.hi = std::min(narrowed.hi, rest.hi);
      }
  if (narrowed.lo > narrowed.hi) narrowed.hi = narrowed.lo;  // nobody gets here; any value will do
  return narrowed;
}

Interval Region::derived(int index, bool with_limits) const {
  const Derived& derived = info_.derived[static_cast<size_t>(index)];
  const Interval& limit = derived_limits_[static_cast<size_t>(index)];
  const Interval a = interval(form(derived.a, with_limits), with_limits),
                 b = interval(form(derived.b, with_limits), with_limits);
  Interval r = apply(derived.op, a, b);
  if (with_limits && limit.known && r.known) {
    r.lo = std::max(r.lo, limit.lo);
    r.hi = std::min(r.hi, limit.hi);
    if (r.lo > r.hi) r.hi = r.lo;  // nobody gets here; any value will do
  }
  return r;
}

bool Region::passes(const std::vector<int>& checks) const {
  for (int index : checks) {
    const Check& check = info_.checks[static_cast<size_t>(index)];
    const Form value = form(check.value);
    const Interval all{check.lo, check.hi, true};
    if (interval(value).within(all) || related(value).within(all)) continue;
    const std::optional<Digits> parts = digits(info_, *this, value);
    if (!parts || !reach(*this, *parts).within(all)) return false;
  }
  return true;
}

void Region::enter_guard(const Guard& guard) {
  const Form a = form(guard.a), b = form(guard.b);
  if (!passes(guard.checks) || !a.valid || !b.valid) {
    exact_ = false;
    return;
  }
  switch (guard.relation) {
  case Guard::Relation::signed_order:
    require_nonnegative(subtract(b, a, guard.slack));
    break;
  case Guard::Relation::unsigned_order: {
    const Interval x = interval(a), y = interval(b);
    const int64_t most = guard.bits >= 63 ? INT64_MAX : (int64_t{1} << guard.bits) - 1;
    const int64_t half = guard.bits >= 64 ? INT64_MAX : (int64_t{1} << (guard.bits - 1)) - 1;
    if (!x.bounded() || !y.bounded()) {
      exact_ = false;
    } else if (x.lo >= 0 && x.hi <= most && y.lo >= 0 && y.hi <= most) {
      require_nonnegative(subtract(b, a, guard.slack));
    } else if (x.lo >= -half - 1 && x.hi <= half && y.lo >= 0 && y.hi <= half) {
      // As an unsigned number a negative left side is larger than the right side: both ends of a range test.
      require_nonnegative(a);
      require_nonnegative(subtract(b, a, guard.slack));
    } else {
      exact_ = false;
    }
    break;
  }
  case Guard::Relation::equal:
    require_nonnegative(subtract(a, b, 0));
    require_nonnegative(subtract(b, a, 0));
    break;
  case Guard::Relation::not_equal:
    exclude_zero(subtract(a, b, 0));
    break;
  }
}

bool Region::loop_used_after(const Access& access, size_t position) const {
  const int index = access.scopes[position].index;
  // Derived values may hide a counter: they count as a use.
  const auto uses = [&](const Affine& a) {
    return std::ranges::any_of(a.terms, [&](const Term& t) {
      return t.variable.kind == Variable::Kind::derived ||
             (t.variable.kind == Variable::Kind::loop && t.variable.index == index);
    });
  };
  const auto checked = [&](const std::vector<int>& checks) {
    return std::ranges::any_of(checks,
                               [&](int c) { return uses(info_.checks[static_cast<size_t>(c)].value); });
  };
  if (uses(access.offset) || checked(access.checks)) return true;
  for (size_t i = position + 1; i < access.scopes.size(); ++i) {
    const Scope& s = access.scopes[i];
    if (s.kind == Scope::Kind::guard) {
      const Guard& g = info_.guards[static_cast<size_t>(s.index)];
      if (uses(g.a) || uses(g.b) || checked(g.checks)) return true;
    } else {
      const Loop& inner = info_.loops[static_cast<size_t>(s.index)];
      if (uses(inner.distance) || checked(inner.checks)) return true;
    }
  }
  return false;
}

void Region::enter_loop(const Access& access, size_t position) {
  const Scope& scope = access.scopes[position];
  const Loop& loop = info_.loops[static_cast<size_t>(scope.index)];
  Interval& counter = loops_[static_cast<size_t>(scope.index)];
  const bool header = scope.kind == Scope::Kind::loop_header;
  const bool used = loop_used_after(access, position);
  counter = {0, kUnbounded};
  if (!loop.exact || (header && used)) exact_ = false;
  const auto& step = values_[static_cast<size_t>(loop.step)];
  const bool known = loop.known && step.known && step.value > 0 && passes(loop.checks);
  const Form distance = form(loop.distance);
  const Interval far = known ? interval(distance) : kUnknown;
  const bool of_data = distance.uses_derived() && far.hi >= INT32_MAX;
  if (!far.bounded() || of_data || far.hi > INT64_MAX / 2 || far.lo < INT64_MIN / 2) {
    if (used || (!loop.extra && !header)) exact_ = false;
    return;
  }
  const int64_t most = std::max<int64_t>(0, ceil_divide(far.hi, step.value)) + loop.extra;
  const int64_t least = std::max<int64_t>(0, ceil_divide(far.lo, step.value)) + loop.extra;
  counter.hi = most - 1 + header;
  if (counter.hi < 0) {
    empty_ = true;
    return;
  }
  if (most == least) return;
  // Work-items differ in how often they go round.
  if (!used) {
    counter.hi = 0;
    if (!loop.extra && !header) require_nonnegative(subtract(distance, Form{}, 1));
  } else if (loop.extra || header) {
    exact_ = false;
  } else {
    Form going = subtract(distance, Form{}, 1);
    going.add({Variable::Kind::loop, scope.index}, -step.value);
    require_nonnegative(going);
  }
}

void Region::enter(const Access& access) {
  for (size_t i = 0; i < access.scopes.size() && !empty_; ++i) {
    const Scope& s = access.scopes[i];
    if (s.kind == Scope::Kind::guard)
      enter_guard(info_.guards[static_cast<size_t>(s.index)]);
    else
      enter_loop(access, i);
  }
}

}  // namespace mkmd::compiler
