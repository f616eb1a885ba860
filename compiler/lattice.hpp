// SPDX-License-Identifier: Apache-2.0
// Lattice: the bytes of one access as a start, strides with counts, and a length; and what cuts it.
#pragma once

#include "common/byte_ranges.hpp"
#include "compiler/region.hpp"

#include <array>
#include <cstdlib>

namespace mkmd::compiler {

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
    if (__builtin_mul_overflow(coefficient, first, &product) ||
        __builtin_add_overflow(start, product, &start) || coefficient == INT64_MIN) {
      valid = false;
      return;
    }
    if (v.hi > v.lo) steps[static_cast<size_t>(steps_count++)] = {std::abs(coefficient), v.count()};
  }

  // Sorts the strides and joins them where that loses nothing; false on overflow.
  bool normalise(int64_t& extent);

  int64_t ranges() const {
    int64_t total = 1;
    for (int i = 0; i < steps_count; ++i)
      if (__builtin_mul_overflow(total, steps[static_cast<size_t>(i)].count, &total)) return INT64_MAX;
    return total;
  }

  int64_t blocks() const { return steps_count > 0 ? ranges() / steps[0].count : 1; }

  void fill_innermost_gaps();

  // Adds its bytes to `out`. False: they are not known.
  bool list(ByteRanges& out, bool& exact, size_t most_blocks);

  ByteRanges all(bool ordered) const;
};

// A constraint over the same combination of variables as the address cuts the addresses themselves. False: it
// is none.
bool clip(Lattice& lattice, const Form& address, const Form& constraint);

}  // namespace mkmd::compiler
