// SPDX-License-Identifier: Apache-2.0
#include "compiler/byte_set.hpp"

#include <algorithm>

namespace mkmd::compiler {
namespace {

__extension__ using Wide = __int128;

int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }
int64_t ceil_divide(int64_t a, int64_t b) { return a / b + (a % b != 0 && (a % b < 0) == (b < 0)); }

// start + Σ i·stride for 0 <= i < count, each `length` bytes long, cut to [clip_lo, clip_hi).
struct Lattice {
  struct Step {
    int64_t stride, count;
  };
  static constexpr int kMaxSteps = 6 + Form::kMaxOthers;

  int64_t start = 0, length = 0, clip_lo = 0, clip_hi = INT64_MAX;
  std::array<Step, kMaxSteps> steps;
  int steps_count = 0;
  bool valid = true;

  void add(int64_t coefficient, const Interval& v) {
    if (coefficient == 0) return;
    const int64_t first = coefficient > 0 ? v.lo : v.hi;
    int64_t product;
    if (__builtin_mul_overflow(coefficient, first, &product) || __builtin_add_overflow(start, product, &start) ||
        coefficient == INT64_MIN) {
      valid = false;
      return;
    }
    if (v.hi > v.lo) steps[static_cast<size_t>(steps_count++)] = {std::abs(coefficient), v.count()};
  }

  // Sorts the strides and joins them where that loses nothing; false on overflow.
  bool normalise(int64_t& extent) {
    std::sort(steps.begin(), steps.begin() + steps_count, [](const Step& a, const Step& b) { return a.stride < b.stride; });
    int kept = 0;
    extent = length;
    for (int i = 0; i < steps_count; ++i) {
      const Step s = steps[static_cast<size_t>(i)];
      int64_t reach;
      if (__builtin_mul_overflow(s.stride, s.count - 1, &reach) || __builtin_add_overflow(extent, reach, &extent))
        return false;
      Step* last = kept ? &steps[static_cast<size_t>(kept - 1)] : nullptr;
      if (!last && s.stride <= length) {
        length += reach;
      } else if (last && s.stride % last->stride == 0 && s.stride / last->stride <= last->count) {
        last->count += s.stride / last->stride * (s.count - 1);
      } else {
        steps[static_cast<size_t>(kept++)] = s;
      }
    }
    steps_count = kept;
    int64_t end;
    return !__builtin_add_overflow(start, extent, &end);
  }

  bool list(ByteRanges& out, bool& exact) {
    int64_t extent = 0;
    if (!valid || !normalise(extent)) return false;
    int64_t total = 1;
    bool ordered = true;  // blocks of an inner step never reach into the next block of an outer one
    int64_t inner = length;
    for (int i = 0; i < steps_count; ++i) {
      const Step& s = steps[static_cast<size_t>(i)];
      if (__builtin_mul_overflow(total, s.count, &total)) total = INT64_MAX;
      ordered = ordered && s.stride >= inner;
      inner += s.stride * (s.count - 1);
    }
    const auto put = [&](ByteRanges& set, int64_t lo, int64_t hi) {
      lo = std::max(lo, clip_lo);
      hi = std::min(hi, clip_hi);
      if (lo < hi) set.add(static_cast<uint64_t>(lo), static_cast<uint64_t>(hi));
    };
    if (total > kMaxRanges) {
      exact = false;
      put(out, start, start + extent);
      return true;
    }
    std::array<int64_t, kMaxSteps> counter{};
    ByteRanges listed;
    std::vector<int64_t> unordered;
    for (int64_t at = start;;) {
      if (ordered) put(listed, at, at + length);
      else unordered.push_back(at);
      int i = 0;
      for (; i < steps_count; ++i) {
        const Step& s = steps[static_cast<size_t>(i)];
        int64_t& c = counter[static_cast<size_t>(i)];
        at += s.stride;
        if (++c < s.count) break;
        at -= s.stride * s.count;
        c = 0;
      }
      if (i == steps_count) break;
    }
    std::sort(unordered.begin(), unordered.end());
    for (int64_t at : unordered) put(listed, at, at + length);
    if (out.empty()) out = std::move(listed);
    else out.unite(listed);
    return true;
  }
};

// A constraint over the same combination of variables as the address cuts the addresses themselves.
bool clip(Lattice& lattice, const Form& address, const Form& constraint) {
  // address = a·X + a0, constraint = c·X + c0 >= 0 with one common X
  int64_t a = 0, c = 0;
  const auto proportional = [&](int64_t x, int64_t y) {
    if (x == 0 && y == 0) return true;
    if (x == 0 || y == 0) return false;
    if (x % lattice.length != 0) return false;  // elements side by side or apart, never overlapping
    if (a == 0) {
      a = x;
      c = y;
      return true;
    }
    return static_cast<Wide>(a) * y == static_cast<Wide>(x) * c;
  };
  for (size_t d = 0; d < 3; ++d)
    if (!proportional(address.group[d], constraint.group[d]) || !proportional(address.local[d], constraint.local[d]))
      return false;
  if (address.others_count != constraint.others_count) return false;
  for (const Form::Other& o : address.rest()) {
    int64_t other = 0;
    for (const Form::Other& p : constraint.rest())
      if (p.variable == o.variable) other = p.coefficient;
    if (!proportional(o.coefficient, other)) return false;
  }
  if (a == 0) return false;
  // c·X >= -c0, and address - a0 = a·X: a bound for address - a0 = a · (c·X) / c.
  const Wide product = -static_cast<Wide>(constraint.base) * a;
  if (product > INT64_MAX || product < INT64_MIN) return false;
  const auto bound = static_cast<int64_t>(product);
  const int64_t e = lattice.length;
  int64_t limit;
  if ((a > 0) == (c > 0)) {  // address - a0 >= bound / c
    const int64_t first = ceil_divide(ceil_divide(bound, c), e);
    if (__builtin_mul_overflow(first, e, &limit) || __builtin_add_overflow(limit, address.base, &limit)) return false;
    lattice.clip_lo = std::max(lattice.clip_lo, limit);
  } else {
    const int64_t last = floor_divide(floor_divide(bound, c), e);
    if (__builtin_mul_overflow(last + 1, e, &limit) || __builtin_add_overflow(limit, address.base, &limit)) return false;
    lattice.clip_hi = std::min(lattice.clip_hi, limit);
  }
  return true;
}

// One dimension's work-items as products of a group interval and a local interval: at most three.
struct Boxes {
  std::array<std::pair<Interval, Interval>, 3> box;
  int count = 0;
  bool joined = false;  // instead: the ids form one interval and move the address as one
};

Boxes boxes(const Region& region, const Form& address, size_t d) {
  Boxes out;
  const Interval g = region.group[d], l = region.local[d], x = region.id[d];
  const int64_t size = region.local_size(d);
  const bool binding = x.lo > g.lo * size + l.lo || x.hi < g.hi * size + l.hi;
  if (!binding) {
    out.box[static_cast<size_t>(out.count++)] = {g, l};
    return out;
  }
  if (region.joined(address, d) && l.lo == 0 && l.hi == size - 1) {
    out.joined = true;
    out.count = 1;
    return out;
  }
  const int64_t first = ceil_divide(x.lo - l.lo, size), last = floor_divide(x.hi - l.hi, size);
  const Interval full{std::max(first, g.lo), std::min(last, g.hi)};
  if (full.lo <= full.hi) out.box[static_cast<size_t>(out.count++)] = {full, l};
  const auto partial = [&](int64_t group) {
    if (group < g.lo || group > g.hi || (group >= full.lo && group <= full.hi)) return;
    const Interval locals{std::max(l.lo, x.lo - group * size), std::min(l.hi, x.hi - group * size)};
    if (locals.lo <= locals.hi) out.box[static_cast<size_t>(out.count++)] = {Interval{group, group}, locals};
  };
  partial(first - 1);
  if (last + 1 != first - 1) partial(last + 1);
  return out;
}

}  // namespace

ByteSet byte_set(const KernelInfo&, const Access& access, const Region& region) {
  ByteSet set;
  if (region.empty()) return {true, region.exact(), {}};
  const Form address = region.form(access.offset);
  if (!region.passes(access.checks)) return set;
  const Interval reach = region.interval(address);
  if (!reach.known || access.bytes == 0) return set;
  set.known = true;
  set.exact = region.exact() && !address.uses_derived();

  Lattice lattice;
  lattice.length = access.bytes;
  for (const Form& constraint : region.constraints()) {
    const Interval i = region.interval(constraint);
    if (i.known && i.lo >= 0) continue;
    if (!clip(lattice, address, constraint)) set.exact = false;
  }
  // A negative offset is outside the buffer, so no correct program gets there: our interval was too wide.
  if (reach.hi < 0) return {};
  if (reach.lo < 0 && lattice.clip_lo == 0) set.exact = false;

  lattice.start = address.base;
  for (const Form::Other& o : address.rest())
    lattice.add(o.coefficient, o.variable.kind == Variable::Kind::loop ? region.loop(o.variable.index)
                                                                      : region.derived(o.variable.index));
  std::array<Boxes, 3> parts;
  for (size_t d = 0; d < 3; ++d) parts[d] = boxes(region, address, d);
  std::array<int, 3> at{};
  for (at[2] = 0; at[2] < parts[2].count; ++at[2])
    for (at[1] = 0; at[1] < parts[1].count; ++at[1])
      for (at[0] = 0; at[0] < parts[0].count; ++at[0]) {
        Lattice piece = lattice;
        for (size_t d = 0; d < 3; ++d) {
          if (parts[d].joined) {
            piece.add(address.local[d], region.id[d]);
          } else {
            const auto& [group, local] = parts[d].box[static_cast<size_t>(at[d])];
            piece.add(address.group[d], group);
            piece.add(address.local[d], local);
          }
        }
        if (!piece.list(set.bytes, set.exact)) return {};
      }
  return set;
}

}  // namespace mkmd::compiler
