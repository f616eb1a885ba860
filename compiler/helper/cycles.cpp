// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/cycles.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>

namespace mkmd::compiler {

// A way back leads to a block that dominates it, or else into a cycle that can be entered elsewhere.
const llvm::BasicBlock* entry_of_other_cycle(const llvm::Function& f, const llvm::DominatorTree& dominators) {
  llvm::SmallPtrSet<const llvm::BasicBlock*, 32> seen;
  const llvm::ReversePostOrderTraversal<const llvm::Function*> order(&f);
  for (const llvm::BasicBlock* block : order) {
    seen.insert(block);
    for (const llvm::BasicBlock* next : llvm::successors(block))
      if (seen.contains(next) && !dominators.dominates(next, block)) return next;
  }
  return nullptr;
}

}  // namespace mkmd::compiler
