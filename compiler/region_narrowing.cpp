// SPDX-License-Identifier: Apache-2.0
// The part of Region that narrows its intervals: what a form that is not negative, or not zero, says of each
// variable.
#include "compiler/region.hpp"

#include <algorithm>

namespace mkmd::compiler {

void Region::settle(size_t d) {
  // Twice is enough in practice; each step only removes values that cannot occur.
  for (int round = 0; round < 2 && !empty_; ++round) {
    const int64_t size = local_size_[d];
    id[d].lo = std::max(id[d].lo, group[d].lo * size + local[d].lo);
    id[d].hi = std::min(id[d].hi, group[d].hi * size + local[d].hi);
    if (id[d].lo > id[d].hi) break;
    group[d].lo = std::max(group[d].lo, floor_divide(id[d].lo, size));
    group[d].hi = std::min(group[d].hi, floor_divide(id[d].hi, size));
    if (group[d].lo == group[d].hi) {
      local[d].lo = std::max(local[d].lo, id[d].lo - group[d].lo * size);
      local[d].hi = std::min(local[d].hi, id[d].hi - group[d].lo * size);
    }
  }
  if (id[d].lo > id[d].hi || group[d].lo > group[d].hi || local[d].lo > local[d].hi) empty_ = true;
}

void Region::narrow(Interval& interval, int64_t coefficient, int64_t rest, bool rest_bounded) {
  // coefficient · v + rest >= 0 for the largest rest
  if (!rest_bounded || coefficient == 0 || rest == INT64_MIN || coefficient == INT64_MIN) return;
  if (coefficient > 0)
    interval.lo = std::max(interval.lo, ceil_divide(-rest, coefficient));
  else
    interval.hi = std::min(interval.hi, floor_divide(rest, -coefficient));
  if (interval.lo > interval.hi) empty_ = true;
}

// What a form is the sum of, beside its base.
struct Region::Part {
  enum class Kind { id, group, local, loop, derived };
  int64_t coefficient;
  Interval range;
  Kind kind;
  size_t index;
};

// Into `parts`; how many there are.
size_t Region::take_apart(const Form& f, Parts& parts) const {
  size_t count = 0;
  for (size_t d = 0; d < 3; ++d) {
    if (joined(f, d)) {
      parts[count++] = {f.local[d], id[d], Part::Kind::id, d};
    } else {
      if (f.group[d]) parts[count++] = {f.group[d], group[d], Part::Kind::group, d};
      if (f.local[d]) parts[count++] = {f.local[d], local[d], Part::Kind::local, d};
    }
  }
  for (const Form::Other& o : f.rest()) {
    const bool is_loop = o.variable.kind == Variable::Kind::loop;
    parts[count++] = {o.coefficient, is_loop ? loop(o.variable.index) : derived(o.variable.index),
                      is_loop ? Part::Kind::loop : Part::Kind::derived,
                      static_cast<size_t>(o.variable.index)};
  }
  return count;
}

Interval& Region::interval_of(const Part& part) {
  switch (part.kind) {
  case Part::Kind::id:
    return id[part.index];
  case Part::Kind::group:
    return group[part.index];
  case Part::Kind::local:
    return local[part.index];
  default:
    return loops_[part.index];
  }
}

// coefficient · v + rest >= 0, with the largest rest there may be.
void Region::narrow(Part& part, int64_t rest, bool rest_bounded) {
  if (part.kind == Part::Kind::derived) {
    Interval limit = part.range;
    if (!limit.known) return;
    narrow(limit, part.coefficient, rest, rest_bounded);
    Interval& known = derived_limits_[part.index];
    known = known.known ? Interval{std::max(known.lo, limit.lo), std::min(known.hi, limit.hi)} : limit;
    part.range = limit;
    limit_operand(part.index);
    return;
  }
  Interval& target = interval_of(part);
  if (!target.known) return;
  narrow(target, part.coefficient, rest, rest_bounded);
  if (part.kind != Part::Kind::loop) settle(part.index);
  part.range = target;
}

void Region::require_nonnegative(const Form& f) {
  if (empty_) return;
  if (!f.valid) {
    exact_ = false;
    return;
  }
  constraints_.push_back(f);
  // The largest value of everything but one variable bounds that variable.
  Parts parts;
  const size_t count = take_apart(f, parts);
  if (count == 0 && f.base < 0) empty_ = true;
  for (size_t i = 0; i < count && !empty_; ++i) {
    int64_t rest = f.base;
    bool rest_bounded = true;
    for (size_t j = 0; j < count && rest_bounded; ++j) {
      if (j == i) continue;
      const Part& p = parts[j];
      const bool upper = p.coefficient > 0;
      if (!p.range.known || (upper && p.range.hi == kUnbounded))
        rest_bounded = false;
      else
        rest_bounded = multiply_add(rest, p.coefficient, upper ? p.range.hi : p.range.lo);
    }
    narrow(parts[i], rest, rest_bounded);
  }
}

// A sum cut to some bits says of its one addend of so many bits what it says of itself.
void Region::limit_operand(size_t index) {
  const Derived& cut = info_.derived[index];
  const Interval& limit = derived_limits_[index];
  if (cut.op != Derived::Op::as_signed || !limit.bounded()) return;
  const Form sum = form(cut.a);
  const Interval bits = interval(form(cut.b));
  if (!sum.valid || sum.others_count != 1 || !bits.bounded()) return;
  const Form::Other addend = sum.others[0];
  Form rest = sum;
  rest.others_count = 0;
  if (!rest.constant() || addend.coefficient != 1 || addend.variable.kind != Variable::Kind::derived) return;
  const Interval all = signed_range(bits.lo);
  Interval left;
  if (__builtin_sub_overflow(limit.lo, sum.base, &left.lo) ||
      __builtin_sub_overflow(limit.hi, sum.base, &left.hi) || !left.within(all) ||
      !derived(addend.variable.index).within(all))
    return;
  Interval& known = derived_limits_[static_cast<size_t>(addend.variable.index)];
  known = known.known ? Interval{std::max(known.lo, left.lo), std::min(known.hi, left.hi)} : left;
}

void Region::exclude_zero(const Form& f) {
  const Interval i = interval(f);
  if (!i.known) {
    exact_ = false;
    return;
  }
  if (i.lo > 0 || i.hi < 0) return;
  if (i.lo == 0 && i.hi == 0) {
    empty_ = true;
    return;
  }
  // A single variable at the end of its interval: the interval shrinks. In its middle: a hole we cannot
  // express.
  int64_t coefficient = 0;
  Interval* target = nullptr;
  size_t dimension = 3;
  int variables = 0;
  for (size_t d = 0; d < 3; ++d) {
    if (joined(f, d)) {
      ++variables, target = &id[d], coefficient = f.local[d], dimension = d;
    } else {
      if (f.group[d]) ++variables, target = &group[d], coefficient = f.group[d], dimension = d;
      if (f.local[d]) ++variables, target = &local[d], coefficient = f.local[d], dimension = d;
    }
  }
  for (const Form::Other& o : f.rest()) {
    ++variables;
    if (o.variable.kind == Variable::Kind::derived) {
      exact_ = false;
      return;
    }
    target = &loops_[static_cast<size_t>(o.variable.index)], coefficient = o.coefficient, dimension = 3;
  }
  if (variables != 1 || f.base == INT64_MIN) {
    exact_ = false;
    return;
  }
  if (-f.base % coefficient != 0) return;  // never zero
  const int64_t hole = -f.base / coefficient;
  if (hole == target->lo)
    ++target->lo;
  else if (hole == target->hi)
    --target->hi;
  else
    exact_ = false;
  if (target->lo > target->hi) empty_ = true;
  if (dimension < 3) settle(dimension);
}

}  // namespace mkmd::compiler
