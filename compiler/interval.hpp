// SPDX-License-Identifier: Apache-2.0
// Interval: all that is known of a number that is not affine. `apply` gives the interval of a derived value
// from those of its operands. The compiler helper uses it where operands do not depend on a launch, Region
// where they do.
#pragma once

#include <cstdint>

#include "compiler/kernel_info.hpp"

namespace mkmd::compiler {

inline constexpr int64_t kUnbounded = INT64_MAX;

inline int64_t floor_divide(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}
inline int64_t ceil_divide(int64_t a, int64_t b) {
  return a / b + (a % b != 0 && (a % b < 0) == (b < 0));
}
// sum += a * b, false on overflow.
inline bool multiply_add(int64_t& sum, int64_t a, int64_t b) {
  int64_t product;
  return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(sum, product, &sum);
}

struct Interval {
  int64_t lo = 0, hi = 0;  // inclusive; hi may be kUnbounded
  bool known = true;
  int64_t count() const { return hi - lo + 1; }
  bool bounded() const { return known && hi != kUnbounded; }
  // What may be any number of 31 bits is not worth listing: it leads anywhere in a buffer.
  bool says_nothing() const {
    return !bounded() || __builtin_sub_overflow_p(hi, lo, int64_t{0}) || hi - lo >= INT32_MAX;
  }
  bool within(const Interval& o) const { return bounded() && lo >= o.lo && hi <= o.hi; }
};
inline constexpr Interval kUnknown{INT64_MIN, kUnbounded, false};

// Of numbers of so many bits, 1 to 64.
Interval signed_range(int64_t bits);
Interval unsigned_range(int64_t bits);  // what exceeds 63 bits is not bounded

// `b` is not looked at where the operation has one operand.
Interval apply(Derived::Op op, const Interval& a, const Interval& b);

}  // namespace mkmd::compiler
