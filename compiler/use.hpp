// SPDX-License-Identifier: Apache-2.0
// What work-groups do to the bytes of one buffer, or of one argument alone, and how two boxes of them meet
// there.
#pragma once

#include "compiler/footprint.hpp"

namespace mkmd::compiler {

struct Use {
  ByteRanges reads;
  ByteRanges writes;
  ByteRanges needed;  // reads, and what may remain unwritten inside `writes`: must be valid beforehand
  std::vector<Updated> updates{};  // by each, bytes that nothing else touches
};

// An argument that leads to the buffer: to `size` bytes from `origin` on. Of an image, whose footprints count
// pixels, each has so many bytes.
struct Through {
  const Footprint* footprint;
  uint64_t origin, size;
  uint64_t pixel = 1;
};
// Through all arguments that lead to the buffer.
Use use_of(const std::vector<Through>& arguments);

// Bytes that two sides change by equal updates, given what each of them changes by nothing else.
ByteRanges commuting(const std::vector<Updated>& a, const std::vector<Updated>& b);

enum class Meeting {
  none,     // neither writes what the other touches
  updates,  // both change the same bytes, by equal updates alone
  conflict,
};
// Of two boxes in one buffer.
Meeting meeting(const Use& a, const Use& b);

}  // namespace mkmd::compiler
