// SPDX-License-Identifier: Apache-2.0
// Inlines all calls of a program's functions into its kernels, for the analysis.
#pragma once

#include <llvm/IR/PassManager.h>

namespace mkmd::compiler {

class InlinePass : public llvm::PassInfoMixin<InlinePass> {
public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

bool is_kernel(const llvm::Function& f);

}  // namespace mkmd::compiler
