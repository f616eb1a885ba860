// SPDX-License-Identifier: Apache-2.0
#include "compiler/byte_set.hpp"

#include "compiler/digits.hpp"
#include "compiler/lattice.hpp"

#include <algorithm>

namespace mkmd::compiler {
namespace {

__extension__ using Wide = __int128;

// Variables that a constraint and the address combine in the same way. All their combinations together are
// every step of one range. An example is "group_id(1)·8 + local_id(0)" below a height that is no multiple
// of 8. They are taken as one variable t, and the constraint cuts its range.
class Bundles {
public:
  Bundles(const Region& region, const Form& address) : region_(region), address_(address) {
    for (size_t d = 0; d < 3; ++d) {
      const Interval g = region.group[d], l = region.local[d], x = region.id[d];
      const int64_t size = region.local_size(d);
      bound_[d] = x.lo > g.lo * size + l.lo || x.hi < g.hi * size + l.hi;
    }
  }

  bool add(const Form& constraint) {
    std::array<Part, 6 + Form::kMaxOthers> parts;
    int count = 0;
    if (!collect(constraint, parts, count) || count == 0) return false;
    for (int i = 0; i < used_; ++i)
      if (same(bundles_[static_cast<size_t>(i)], parts, count))
        return narrow(bundles_[static_cast<size_t>(i)], constraint, parts, count);
    for (int i = 0; i < used_; ++i)
      for (int j = 0; j < count; ++j)
        if (bundles_[static_cast<size_t>(i)].has(parts[static_cast<size_t>(j)].name)) return false;
    if (used_ == static_cast<int>(bundles_.size())) return false;
    Bundle b;
    std::sort(parts.begin(), parts.begin() + count,
              [](const Part& x, const Part& y) { return std::abs(x.constraint) < std::abs(y.constraint); });
    const int64_t unit = std::abs(parts[0].constraint);
    for (int i = 0; i < count; ++i) {
      const Part& p = parts[static_cast<size_t>(i)];
      const int64_t step = std::abs(p.constraint) / unit;
      if (std::abs(p.constraint) % unit != 0 || step > b.count) return false;  // a gap
      int64_t reach;
      if (__builtin_mul_overflow(step, p.range.count() - 1, &reach) ||
          __builtin_add_overflow(b.count, reach, &b.count))
        return false;
    }
    b.parts = parts;
    b.parts_count = count;
    b.t = {0, b.count - 1};
    bundles_[static_cast<size_t>(used_)] = b;
    if (!narrow(bundles_[static_cast<size_t>(used_)], constraint, parts, count)) return false;
    ++used_;
    return true;
  }

  // Puts the bundles into the lattice; their variables are then taken care of.
  bool empty() const {
    for (int i = 0; i < used_; ++i)
      if (bundles_[static_cast<size_t>(i)].t.lo > bundles_[static_cast<size_t>(i)].t.hi) return true;
    return false;
  }
  bool none() const { return used_ == 0; }
  void put(Lattice& lattice) const {
    for (int i = 0; i < used_; ++i) {
      const Bundle& b = bundles_[static_cast<size_t>(i)];
      for (int j = 0; j < b.parts_count; ++j) {
        const Part& p = b.parts[static_cast<size_t>(j)];
        lattice.add(p.address, {p.start(), p.start()});
      }
      lattice.add(b.parts[0].constraint > 0 ? b.parts[0].address : -b.parts[0].address, b.t);
    }
  }
  bool has(int name) const {
    for (int i = 0; i < used_; ++i)
      if (bundles_[static_cast<size_t>(i)].has(name)) return true;
    return false;
  }
  static int id_name(size_t d) { return static_cast<int>(d); }
  static int group_name(size_t d) { return 3 + static_cast<int>(d); }
  static int local_name(size_t d) { return 6 + static_cast<int>(d); }
  static int loop_name(int loop) { return 9 + loop; }

private:
  struct Part {
    int name = -1;
    int64_t constraint = 0, address = 0;  // coefficients
    Interval range;
    // Where t = 0: t grows with the constraint.
    int64_t start() const { return constraint > 0 ? range.lo : range.hi; }
  };
  struct Bundle {
    std::array<Part, 6 + Form::kMaxOthers> parts;
    int parts_count = 0;
    int64_t count = 1;
    Interval t;
    bool has(int name) const {
      return std::any_of(parts.begin(), parts.begin() + parts_count,
                         [&](const Part& p) { return p.name == name; });
    }
  };

  bool collect(const Form& c, std::array<Part, 6 + Form::kMaxOthers>& parts, int& count) const {
    const auto put = [&](int name, int64_t in_constraint, int64_t in_address, const Interval& range) {
      if (in_constraint == 0) return true;
      if (in_address == 0 || in_constraint == INT64_MIN || in_address == INT64_MIN || !range.known ||
          range.hi == kUnbounded)
        return false;
      parts[static_cast<size_t>(count++)] = {name, in_constraint, in_address, range};
      const Part &first = parts[0], &last = parts[static_cast<size_t>(count - 1)];
      return static_cast<Wide>(first.constraint) * last.address ==
             static_cast<Wide>(last.constraint) * first.address;
    };
    for (size_t d = 0; d < 3; ++d) {
      if (!c.group[d] && !c.local[d]) continue;
      const bool together = region_.joined(c, d);
      if (together != region_.joined(address_, d)) return false;
      if (together) {
        const Interval l = region_.local[d];
        if (l.lo != 0 || l.hi != region_.local_size(d) - 1) return false;
        if (!put(id_name(d), c.local[d], address_.local[d], region_.id[d])) return false;
      } else {
        if (bound_[d]) return false;
        if (!put(group_name(d), c.group[d], address_.group[d], region_.group[d])) return false;
        if (!put(local_name(d), c.local[d], address_.local[d], region_.local[d])) return false;
      }
    }
    for (const Form::Other& o : c.rest()) {
      if (o.variable.kind != Variable::Kind::loop) return false;
      int64_t in_address = 0;
      for (const Form::Other& a : address_.rest())
        if (a.variable == o.variable) in_address = a.coefficient;
      if (!put(loop_name(o.variable.index), o.coefficient, in_address, region_.loop(o.variable.index)))
        return false;
    }
    return true;
  }

  static bool same(const Bundle& b, const std::array<Part, 6 + Form::kMaxOthers>& parts, int count) {
    if (b.parts_count != count) return false;
    return std::all_of(parts.begin(), parts.begin() + count, [&](const Part& p) { return b.has(p.name); });
  }

  // constraint(t) = at zero + slope · t >= 0
  static bool narrow(Bundle& b, const Form& constraint, const std::array<Part, 6 + Form::kMaxOthers>& parts,
                     int count) {
    int64_t at_zero = constraint.base, slope = 0;
    for (int i = 0; i < b.parts_count; ++i) {
      const Part& p = b.parts[static_cast<size_t>(i)];
      const auto mine =
          std::find_if(parts.begin(), parts.begin() + count, [&](const Part& x) { return x.name == p.name; });
      int64_t product;
      if (__builtin_mul_overflow(mine->constraint, p.start(), &product) ||
          __builtin_add_overflow(at_zero, product, &at_zero))
        return false;
      if (i == 0) slope = p.constraint > 0 ? mine->constraint : -mine->constraint;
    }
    if (slope > 0)
      b.t.lo = std::max(b.t.lo, ceil_divide(-at_zero, slope));
    else
      b.t.hi = std::min(b.t.hi, floor_divide(at_zero, -slope));
    return true;
  }

  const Region& region_;
  const Form& address_;
  std::array<bool, 3> bound_{};
  std::array<Bundle, 3> bundles_;
  int used_ = 0;
};

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

// Adds to the set what the work-items of all boxes touch. False: it is not known.
bool list_boxes(const Region& region, const Form& address, const Bundles& bundles, const Lattice& lattice,
                size_t most_blocks, ByteSet& set) {
  std::array<Boxes, 3> parts;
  for (size_t d = 0; d < 3; ++d)
    parts[d] = boxes(region, address, d);
  std::array<int, 3> at{};
  for (at[2] = 0; at[2] < parts[2].count; ++at[2])
    for (at[1] = 0; at[1] < parts[1].count; ++at[1])
      for (at[0] = 0; at[0] < parts[0].count; ++at[0]) {
        Lattice piece = lattice;
        for (size_t d = 0; d < 3; ++d) {
          if (bundles.has(Bundles::id_name(d))) continue;
          if (parts[d].joined) {
            piece.add(address.local[d], region.id[d]);
          } else {
            const auto& [group, local] = parts[d].box[static_cast<size_t>(at[d])];
            if (!bundles.has(Bundles::group_name(d))) piece.add(address.group[d], group);
            if (!bundles.has(Bundles::local_name(d))) piece.add(address.local[d], local);
          }
        }
        if (!piece.list(set.bytes, set.exact, most_blocks)) return false;
      }
  return true;
}

// What loops and derived values, that no bundle has, add to an address.
void add_others(const Region& region, const Form& address, const Bundles& bundles, Lattice& lattice) {
  for (const Form::Other& o : address.rest()) {
    const bool is_loop = o.variable.kind == Variable::Kind::loop;
    if (is_loop && bundles.has(Bundles::loop_name(o.variable.index))) continue;
    lattice.add(o.coefficient, is_loop ? region.loop(o.variable.index) : region.derived(o.variable.index));
  }
}

// As list_boxes, of an address that is made of two digits. No constraint is bundled.
bool list_digits(const Region& region, const Digits& digits, const Bundles& none, const Lattice& lattice,
                 size_t most_blocks, ByteSet& set) {
  for (int i = 0; i < digits.count; ++i) {
    const Digits::Product& product = digits.products[static_cast<size_t>(i)];
    Lattice piece = lattice;
    piece.start = digits.others.base;
    piece.add(digits.quotient_coefficient, product.quotient);
    piece.add(digits.rest_coefficient, product.rest);
    add_others(region, digits.others, none, piece);
    if (!list_boxes(region, digits.others, none, piece, most_blocks, set)) return false;
  }
  return true;
}

// What guards say of loops and derived values together, where that is more than what they say of each.
std::optional<Interval> as_one(const Region& region, const Form& address) {
  Form moved = address;
  moved.group = moved.local = {};
  const Interval all = region.interval(moved), some = region.related(moved);
  return some.count() < all.count() ? std::optional(some) : std::nullopt;
}

// How many bytes there are, and how far they reach: equal rows may be parts of a rectangle or go askew.
std::pair<uint64_t, uint64_t> size(const ByteRanges& bytes) {
  return {bytes.total(), bytes.hull().hi - bytes.hull().lo};
}

// A condition that couples variables bounds their sum. The address equals itself without some multiple of
// the sum, plus that multiple. So the sum can stand for one of its variables. In a triangle a row and a
// column are then bounded each by itself. Both descriptions hold; the smaller one is kept.
void narrow_by_sum(const Region& region, const Form& address, const Form& sum, const Lattice& cut,
                   size_t most_blocks, ByteSet& set) {
  Interval of_sum = region.interval(sum);
  of_sum.lo = std::max<int64_t>(of_sum.lo, 0);
  if (!of_sum.bounded() || of_sum.lo > of_sum.hi) return;
  const auto try_multiple = [&](int64_t in_address, int64_t in_sum) {
    if (in_sum == 0 || in_address == 0 || in_address == INT64_MIN || in_address % in_sum != 0) return;
    const int64_t multiple = in_address / in_sum;
    const Form rest = subtract(address, sum, 0, multiple);
    if (rest.others_count == Form::kMaxOthers || !region.interval(rest).bounded()) return;
    const Bundles none(region, rest);
    Lattice moved = cut;
    moved.start = rest.base;
    moved.add(multiple, of_sum);
    add_others(region, rest, none, moved);
    int64_t most = moved.valid ? moved.ranges() : INT64_MAX;  // ranges, if no byte is in two
    const auto times = [&most](int64_t coefficient, const Interval& range) {
      if (coefficient != 0 && __builtin_mul_overflow(most, range.count(), &most)) most = INT64_MAX;
    };
    for (size_t d = 0; d < 3; ++d) {
      const bool joined = region.joined(rest, d);
      times(rest.group[d], joined ? region.id[d] : region.group[d]);
      if (!joined) times(rest.local[d], region.local[d]);
    }
    if (static_cast<uint64_t>(most) > set.bytes.total() / static_cast<uint64_t>(cut.length)) return;
    ByteSet other;
    if (list_boxes(region, rest, none, moved, most_blocks, other) && size(other.bytes) < size(set.bytes))
      set.bytes = std::move(other.bytes);
  };
  for (size_t d = 0; d < 3; ++d)
    try_multiple(address.local[d], sum.local[d]);
  for (const Form::Other& mine : address.rest())
    for (const Form::Other& other : sum.rest())
      if (mine.variable == other.variable) try_multiple(mine.coefficient, other.coefficient);
}

}  // namespace

ByteSet byte_set(const KernelInfo& info, const Access& access, const Region& region, size_t most_blocks) {
  ByteSet set;
  if (region.empty()) return {true, region.exact(), {}};
  const Form address = region.form(access.offset);
  if (!region.passes(access.checks)) return set;
  const Interval hull = region.interval(address);
  if (!hull.known || access.bytes == 0) return set;
  for (const Form::Other& o : address.rest())
    if (o.variable.kind == Variable::Kind::derived && region.derived(o.variable.index).says_nothing())
      return set;
  set.known = true;
  set.exact = region.exact();

  Lattice lattice;
  lattice.length = access.bytes;
  Bundles bundles(region, address);
  std::vector<const Form*> sums;
  for (const Form& constraint : region.constraints()) {
    if (region.implied(constraint) || clip(lattice, address, constraint) || bundles.add(constraint)) continue;
    set.exact = false;
    sums.push_back(&constraint);
  }
  const Lattice cut = lattice;
  if (bundles.empty()) return set;
  const std::optional<Interval> others = bundles.none() ? as_one(region, address) : std::nullopt;
  const std::optional<Digits> parts =
      bundles.none() && !others ? digits(info, region, address) : std::nullopt;
  if (parts ? !parts->exact : address.uses_derived()) set.exact = false;
  // A negative offset is outside the buffer, so no correct program gets there: our interval was too wide.
  if (hull.hi < 0) return {};
  if ((parts ? reach(region, *parts) : hull).lo < 0 && lattice.clip_lo == 0) set.exact = false;

  if (parts) return list_digits(region, *parts, bundles, lattice, most_blocks, set) ? set : ByteSet{};
  lattice.start = address.base;
  bundles.put(lattice);
  if (others) {
    lattice.start = others->lo;
    lattice.length += others->hi - others->lo;
  } else {
    add_others(region, address, bundles, lattice);
  }
  if (!list_boxes(region, address, bundles, lattice, most_blocks, set)) return {};
  for (const Form* sum : sums)
    narrow_by_sum(region, address, *sum, cut, most_blocks, set);
  return set;
}

}  // namespace mkmd::compiler
