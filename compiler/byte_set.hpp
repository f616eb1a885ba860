// SPDX-License-Identifier: Apache-2.0
// Turns one access, whose region is known, into bytes: a start, strides with counts, and a length, listed as
// ranges.
#pragma once

#include "common/byte_ranges.hpp"
#include "compiler/footprint.hpp"
#include "compiler/region.hpp"

namespace mkmd::compiler {

struct ByteSet {
  bool known = false;  // false: anywhere
  bool exact = false;  // every byte in `bytes` is touched
  ByteRanges bytes;
};

// `region` has entered the access' scopes. Of more than `most_blocks` blocks (ByteRows), the smallest gaps
// are filled.
ByteSet byte_set(const KernelInfo& info, const Access& access, const Region& region, size_t most_blocks);

}  // namespace mkmd::compiler
