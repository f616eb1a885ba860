// SPDX-License-Identifier: Apache-2.0
// How far apart two results are, in units in the last place. It compares floating-point numbers where the
// types of the kernel's arguments say that such lie.
#pragma once

#include "libinterpose/verify/differences.hpp"

namespace mkmd::verify {

// How far devices with another code generator are from home.
struct Distance {
  uint64_t ulps = 0;   // the most, of any number
  uint64_t nans = 0;   // numbers that are NaN on one device only
  uint64_t bytes = 0;  // that differ and belong to no float

  void take(const Distance& other);  // the larger ones
};

Distance distance_between(const Images& a, const Images& b, const DescribedLaunch& launch);
bool has_floats(const compiler::KernelInfo& info);

}  // namespace mkmd::verify
