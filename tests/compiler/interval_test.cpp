// SPDX-License-Identifier: Apache-2.0
#include "compiler/interval.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace mkmd::compiler {
namespace {

int64_t low_bits(int64_t a, int bits, bool is_signed) {
  const int64_t kept = a & ((int64_t{1} << bits) - 1);
  return is_signed && (kept >> (bits - 1)) != 0 ? kept - (int64_t{1} << bits) : kept;
}

// Every number of every small interval.
TEST(Interval, HoldsWhatIsLeftOfNumbersThatAreCut) {
  for (const bool is_signed : {false, true}) {
    const Derived::Op op = is_signed ? Derived::Op::as_signed : Derived::Op::as_unsigned;
    for (int bits = 1; bits <= 5; ++bits)
      for (int64_t lo = -70; lo <= 70; ++lo)
        for (int64_t hi = lo; hi <= 70; ++hi) {
          const Interval cut = apply(op, {lo, hi, true}, {bits, bits, true});
          int64_t least = INT64_MAX, most = INT64_MIN;
          for (int64_t a = lo; a <= hi; ++a) {
            least = std::min(least, low_bits(a, bits, is_signed));
            most = std::max(most, low_bits(a, bits, is_signed));
          }
          ASSERT_TRUE(cut.bounded());
          ASSERT_LE(cut.lo, least) << lo << " " << hi << " " << bits;
          ASSERT_GE(cut.hi, most) << lo << " " << hi << " " << bits;
          if (low_bits(lo, bits, is_signed) + (hi - lo) == low_bits(hi, bits, is_signed)) {
            ASSERT_EQ(cut.hi - cut.lo, hi - lo) << lo << " " << hi << " " << bits;
          }
        }
  }
}

TEST(Interval, CutsLargeNumbersAlike) {
  for (const int64_t a : {INT64_MIN, INT64_MIN + 1, int64_t{-1}, int64_t{1} << 40, INT64_MAX - 1}) {
    for (const int bits : {8, 31, 32, 62}) {
      const Interval cut =
          apply(Derived::Op::as_unsigned, {a, a, true}, {int64_t{bits}, int64_t{bits}, true});
      EXPECT_EQ(cut.lo, low_bits(a, bits, false)) << a << " " << bits;
      EXPECT_EQ(cut.hi, cut.lo);
    }
    const Interval as_int = apply(Derived::Op::as_signed, {a, a, true}, {32, 32, true});
    EXPECT_LE(as_int.lo, static_cast<int32_t>(a));
    EXPECT_GE(as_int.hi, static_cast<int32_t>(a));
  }
}

}  // namespace
}  // namespace mkmd::compiler
