// SPDX-License-Identifier: Apache-2.0
// Digits: an address that has two of these: a number x, its quotient by d, and its rest modulo d. Examples
// are `(i << 1) - (i & (d - 1))` of a Fourier transform and `i / d * 2 * d + i % d` of a bitonic sort. With
// x = d·q + r it is an address of q and r. Where x takes each number of an interval, the pairs (q, r) are
// at most three products of intervals. These are the first block of d, the last one, and those between.
#pragma once

#include "compiler/region.hpp"

#include <array>
#include <optional>

namespace mkmd::compiler {

struct Digits {
  Form others;  // the address without q and r
  int64_t quotient_coefficient = 0, rest_coefficient = 0;
  struct Product {
    Interval quotient, rest;
  };
  std::array<Product, 3> products;
  int count = 0;
  // The ids of the region and the pairs (q, r) of the products are one to one. Nothing else in the address
  // depends on these ids.
  bool exact = false;
};

// What such an address may be.
Interval reach(const Region& region, const Digits& digits);

// Of the first derived value in the address that is such a quotient or rest. Nothing: there is none.
std::optional<Digits> digits(const KernelInfo& info, const Region& region, const Form& address);

}  // namespace mkmd::compiler
