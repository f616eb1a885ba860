// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Instructions.h>
#include <optional>

namespace mkmd::compiler {

// A value that comes on one of two ways, as a branch has decided.
struct Fork {
  llvm::Value *condition, *yes, *no;
};

// Both ways begin at one branch, and have at most a block of their own. Nothing: it is no such value.
std::optional<Fork> fork_of(const llvm::PHINode& p);

}  // namespace mkmd::compiler
