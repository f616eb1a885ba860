// SPDX-License-Identifier: Apache-2.0
// What a command, or a piece of one, does to one root buffer. The planner finds it; order, transfers and the
// repair of failed actions follow from it.
#pragma once

#include "common/byte_ranges.hpp"
#include "compiler/footprint.hpp"

#include <vector>

namespace mkmd {

class Memory;
struct KernelArgument;

// Offsets are the root's.
struct BufferUse {
  Memory* root = nullptr;
  ByteRanges reads;
  ByteRanges writes;
  ByteRanges needed;  // reads, and what may remain unwritten inside `writes`: must be valid beforehand
};
using BufferUses = std::vector<BufferUse>;

// What work-groups with these footprints do to their buffers; null: anything may happen to every buffer.
BufferUses buffer_uses(const std::vector<KernelArgument>& arguments,
                       const std::vector<compiler::Footprint>* footprints);

// Neither writes what the other touches.
bool independent(const BufferUses& a, const BufferUses& b);

}  // namespace mkmd
