// SPDX-License-Identifier: Apache-2.0
#include "compiler/helper/forks.hpp"

#include <llvm/IR/Constants.h>

namespace mkmd::compiler {

std::optional<Fork> fork_of(const llvm::PHINode& p) {
  if (p.getNumIncomingValues() != 2) return std::nullopt;
  const llvm::BranchInst* branch = nullptr;
  const llvm::BasicBlock* to[2];  // where the branch leads, of each way
  for (unsigned way : {0U, 1U}) {
    const llvm::BasicBlock* from = p.getIncomingBlock(way);
    to[way] = p.getParent();
    if (from->getUniqueSuccessor()) {
      to[way] = from;
      from = from->getUniquePredecessor();
    }
    const auto* last = from ? llvm::dyn_cast<llvm::BranchInst>(from->getTerminator()) : nullptr;
    if (!last || !last->isConditional() || (way == 1 && last != branch)) return std::nullopt;
    branch = last;
  }
  const unsigned yes = branch->getSuccessor(0) == to[0] ? 0 : 1;
  if (branch->getSuccessor(0) != to[yes] || branch->getSuccessor(1) != to[1 - yes]) return std::nullopt;
  llvm::Value *then = p.getIncomingValue(yes), *otherwise = p.getIncomingValue(1 - yes);
  if (llvm::isa<llvm::UndefValue>(then) || llvm::isa<llvm::UndefValue>(otherwise)) return std::nullopt;
  return Fork{branch->getCondition(), then, otherwise};
}

}  // namespace mkmd::compiler
