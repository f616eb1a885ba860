// SPDX-License-Identifier: Apache-2.0
// Renames calls of builtins to the variants which device libraries for SPIR really have.
#pragma once

#include <llvm/IR/PassManager.h>

namespace mkmd::compiler {

class LibraryPass : public llvm::PassInfoMixin<LibraryPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace mkmd::compiler
