// SPDX-License-Identifier: Apache-2.0
#include "compiler/interval.hpp"

#include <algorithm>
#include <cstdlib>

namespace mkmd::compiler {
namespace {

// The extremes over the corners of a × b of a function that is monotonic in each operand.
template <typename F>
Interval corners(const Interval& a, const Interval& b, F f) {
  Interval r{INT64_MAX, INT64_MIN, true};
  for (int64_t x : {a.lo, a.hi})
    for (int64_t y : {b.lo, b.hi}) {
      int64_t v;
      if (!f(x, y, v)) return kUnknown;
      r.lo = std::min(r.lo, v);
      r.hi = std::max(r.hi, v);
    }
  return r;
}

// Known is what bounds it at least at one end.
Interval half_known(int64_t lo, int64_t hi) {
  return {lo, hi, lo != INT64_MIN || hi != kUnbounded};
}

// `a` modulo `b`, with the sign of a, or never negative. The rest is less than b whatever a is.
Interval rest(const Interval& a, const Interval& b, bool never_negative) {
  if (!b.bounded() || b.lo <= 0) return kUnknown;
  const int64_t most = b.hi - 1;
  if (!a.bounded()) return {never_negative || (a.known && a.lo >= 0) ? 0 : -most, most, true};
  if (a.lo >= 0 && a.hi < b.lo) return a;  // nothing is taken away
  if (b.lo == b.hi && a.lo >= 0 && a.lo / b.lo == a.hi / b.lo) return {a.lo % b.lo, a.hi % b.lo, true};
  if (a.lo >= 0) return {0, std::min(most, a.hi), true};
  if (never_negative) return {0, most, true};
  return {-most, a.hi > 0 ? most : 0, true};
}

// The least and the largest x | y and x & y of x in [a, b] and y in [c, d], none of them negative. A bit
// that makes the result larger is worth more than all bits below it.
uint64_t least_or(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  for (uint64_t bit = uint64_t{1} << 62; bit != 0; bit >>= 1) {
    const uint64_t up_a = (a | bit) & ~(bit - 1), up_c = (c | bit) & ~(bit - 1);
    if ((~a & c & bit) != 0 && up_a <= b) {
      a = up_a;
      break;
    }
    if ((a & ~c & bit) != 0 && up_c <= d) {
      c = up_c;
      break;
    }
  }
  return a | c;
}

uint64_t largest_or(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  for (uint64_t bit = uint64_t{1} << 62; bit != 0; bit >>= 1) {
    if ((b & d & bit) == 0) continue;
    const uint64_t down_b = (b - bit) | (bit - 1), down_d = (d - bit) | (bit - 1);
    if (down_b >= a) {
      b = down_b;
      break;
    }
    if (down_d >= c) {
      d = down_d;
      break;
    }
  }
  return b | d;
}

constexpr uint64_t kBits = ~uint64_t{0} >> 1;

// Of numbers cut to so many bits, when what is left of them lies in `all`. It is an interval where they lie
// between two neighbouring multiples.
Interval cut(const Interval& a, int64_t bits, const Interval& all) {
  if (a.within(all)) return a;
  const Interval any = half_known(all.lo, all.hi);
  int64_t above = 0, width = 0;
  if (bits > 62 || !a.bounded() || __builtin_sub_overflow(a.lo, all.lo, &above) ||
      __builtin_sub_overflow(a.hi, a.lo, &width))
    return any;
  const int64_t modulus = int64_t{1} << bits, rest = above % modulus;
  const int64_t lo = all.lo + (rest < 0 ? rest + modulus : rest);
  return width <= all.hi - lo ? Interval{lo, lo + width, true} : any;
}

Interval bitwise(Derived::Op op, const Interval& a, const Interval& b) {
  using Op = Derived::Op;
  if (!a.known || !b.known || a.lo < 0 || b.lo < 0) return kUnknown;
  if (op == Op::bit_and && (!a.bounded() || !b.bounded())) return half_known(0, std::min(a.hi, b.hi));
  if (!a.bounded() || !b.bounded()) return half_known(0, kUnbounded);
  const auto al = static_cast<uint64_t>(a.lo), ah = static_cast<uint64_t>(a.hi),
             bl = static_cast<uint64_t>(b.lo), bh = static_cast<uint64_t>(b.hi);
  const auto interval = [](uint64_t lo, uint64_t hi) {
    return Interval{static_cast<int64_t>(lo), static_cast<int64_t>(hi), true};
  };
  // x & y is the complement of ~x | ~y.
  const auto least_and = [](uint64_t p, uint64_t q, uint64_t r, uint64_t s) {
    return kBits & ~largest_or(kBits & ~q, kBits & ~p, kBits & ~s, kBits & ~r);
  };
  const auto largest_and = [](uint64_t p, uint64_t q, uint64_t r, uint64_t s) {
    return kBits & ~least_or(kBits & ~q, kBits & ~p, kBits & ~s, kBits & ~r);
  };
  if (op == Op::bit_or) return interval(least_or(al, ah, bl, bh), largest_or(al, ah, bl, bh));
  if (op == Op::bit_and) return interval(least_and(al, ah, bl, bh), largest_and(al, ah, bl, bh));
  // x ^ y is (x & ~y) | (~x & y): bounds of both halves bound it, and it keeps what all x, y have in common.
  const uint64_t not_bl = kBits & ~bh, not_bh = kBits & ~bl, not_al = kBits & ~ah, not_ah = kBits & ~al;
  const uint64_t lo = std::max(least_and(al, ah, not_bl, not_bh), least_and(not_al, not_ah, bl, bh));
  const uint64_t hi =
      largest_or(0, largest_and(al, ah, not_bl, not_bh), 0, largest_and(not_al, not_ah, bl, bh));
  // Above the highest bit in which two of its values differ, an interval has one value.
  const auto varying = [](uint64_t x, uint64_t y) {
    uint64_t v = x ^ y;
    for (int s = 1; s < 64; s *= 2)
      v |= v >> s;
    return v;
  };
  const uint64_t free = varying(al, ah) | varying(bl, bh), fixed = (al ^ bl) & ~free;
  return interval(std::max(lo, fixed), std::min(hi, fixed | free));
}

}  // namespace

Interval signed_range(int64_t bits) {
  const int64_t hi = bits >= 64 ? INT64_MAX : (int64_t{1} << (bits - 1)) - 1;
  return {-hi - 1, hi, true};
}
Interval unsigned_range(int64_t bits) {
  return {0, bits >= 63 ? INT64_MAX : (int64_t{1} << bits) - 1, true};
}

Interval apply(Derived::Op op, const Interval& a, const Interval& b) {
  using Op = Derived::Op;
  const bool both = a.bounded() && b.bounded();
  switch (op) {
  case Op::floor_divide:
  case Op::divide:
    if (!both || b.lo <= 0) return kUnknown;
    return corners(a, b, [&](int64_t x, int64_t y, int64_t& v) {
      v = op == Op::floor_divide ? floor_divide(x, y) : x / y;
      return true;
    });
  case Op::modulo:
    return rest(a, b, true);
  case Op::remainder:
    return rest(a, b, false);
  case Op::minimum:
    return half_known(std::min(a.lo, b.lo), std::min(a.hi, b.hi));
  case Op::maximum:
    return half_known(std::max(a.lo, b.lo), std::max(a.hi, b.hi));
  case Op::hull:
    return a.known && b.known ? half_known(std::min(a.lo, b.lo), std::max(a.hi, b.hi)) : kUnknown;
  case Op::multiply:
    if (!both) return kUnknown;
    return corners(a, b, [](int64_t x, int64_t y, int64_t& v) { return !__builtin_mul_overflow(x, y, &v); });
  case Op::absolute: {
    if (!a.bounded() || a.lo == INT64_MIN) return kUnknown;
    const int64_t x = std::abs(a.lo), y = std::abs(a.hi);
    return {a.lo <= 0 && a.hi >= 0 ? 0 : std::min(x, y), std::max(x, y), true};
  }
  case Op::as_signed:
  case Op::as_unsigned: {
    if (!b.bounded() || b.lo != b.hi || b.lo < 1 || b.lo > 64) return kUnknown;
    const Interval all = op == Op::as_signed ? signed_range(b.lo) : unsigned_range(b.lo);
    return cut(a, b.lo, all);
  }
  case Op::bit_and:
  case Op::bit_or:
  case Op::bit_xor:
    return bitwise(op, a, b);
  }
  return kUnknown;
}

}  // namespace mkmd::compiler
