// SPDX-License-Identifier: Apache-2.0
// Turns an access through a pointer that a condition has chosen among buffers (`n ? a : b`) into two accesses
// behind that condition, for the analysis. Each of them leads to one buffer.
#pragma once

#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

namespace mkmd::compiler {

class PointerForksPass : public llvm::PassInfoMixin<PointerForksPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

// Whether the pass has made this to hold what one way brings. It is poison behind the other ways, where
// nobody asks for it.
bool is_of_one_way(const llvm::PHINode& phi);

}  // namespace mkmd::compiler
