// SPDX-License-Identifier: Apache-2.0
// Turns one access, whose region is known, into bytes: a start, strides with counts, and a length, listed as
// ranges.
#pragma once

#include "common/byte_ranges.hpp"
#include "compiler/footprint.hpp"
#include "compiler/region.hpp"

namespace mkmd::compiler {

inline constexpr size_t kMaxBlocks = 1024;  // of any set

struct ByteSet {
  bool known = false;  // false: anywhere
  bool exact = false;  // every byte in `bytes` is touched
  ByteRanges bytes;
};

// `region` has entered the access' scopes.
ByteSet byte_set(const KernelInfo& info, const Access& access, const Region& region);

}  // namespace mkmd::compiler
