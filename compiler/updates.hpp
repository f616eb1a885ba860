// SPDX-License-Identifier: Apache-2.0
// How two boxes of work-groups meet in one argument, as far as that is known without its buffer.
#pragma once

#include "compiler/footprint.hpp"

namespace mkmd::compiler {

enum class Meeting {
  none,     // neither writes what the other touches
  updates,  // both change the same bytes, by equal updates alone
  conflict,
};
// Footprints of the same argument, which has `size` bytes.
Meeting meeting(const Footprint& a, const Footprint& b, uint64_t size);

}  // namespace mkmd::compiler
