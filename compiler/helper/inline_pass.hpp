// SPDX-License-Identifier: Apache-2.0
// Inlines calls into kernels: all of them for the analysis, only those which lead to a work-item builtin for
// devices (their compilers inline the rest as they always do).
#pragma once

#include <llvm/IR/PassManager.h>

namespace mkmd::compiler {

class InlinePass : public llvm::PassInfoMixin<InlinePass> {
public:
  enum class What { everything, id_users };
  explicit InlinePass(What what) : what_(what) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }

private:
  What what_;
};

bool is_kernel(const llvm::Function& f);

}  // namespace mkmd::compiler
