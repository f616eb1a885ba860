// SPDX-License-Identifier: Apache-2.0
// What a command, or a piece of one, does to one root buffer. The planner finds it; order, transfers and the
// repair of failed actions follow from it.
#pragma once

#include "compiler/use.hpp"

#include <vector>

namespace mkmd {

class Memory;

// Offsets are the root's.
struct BufferUse : compiler::Use {
  Memory* root = nullptr;
  // No two work-groups of the launch meet here, as the contents of its index buffers show. It is not known
  // which bytes each touches: this says enough only where sets of bytes do nothing but order commands.
  bool apart = false;
};
using BufferUses = std::vector<BufferUse>;

BufferUse& use_of(BufferUses& uses, Memory* root);  // added, if there was none

// Of two boxes of one launch that have no work-group in common. Neither writes what the other touches.
bool independent(const BufferUses& a, const BufferUses& b);
// Where they are not, both change the same bytes by equal updates alone. That gives the same bytes in
// whichever order it happens, and at the same time where both use the atomic instructions of one memory.
bool commute(const BufferUses& a, const BufferUses& b);

}  // namespace mkmd
