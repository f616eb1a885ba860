// SPDX-License-Identifier: Apache-2.0
// Cycles that are no loops to LLVM: control enters them at several blocks, by goto or by a switch around a
// loop.
#pragma once

#include <llvm/IR/Dominators.h>

namespace mkmd::compiler {

// A block at which such a cycle is entered; null: every cycle of the function has one entry.
const llvm::BasicBlock* entry_of_other_cycle(const llvm::Function& f, const llvm::DominatorTree& dominators);

}  // namespace mkmd::compiler
