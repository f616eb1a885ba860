// SPDX-License-Identifier: Apache-2.0
// Turns loops whose body runs once into straight code, for the analysis. Programs write such loops where a
// macro says how many elements a work-item makes. A variable that such a loop moves under a condition has
// no constant step. In the loop's only iteration it has the value from before the loop.
#pragma once

#include <llvm/IR/PassManager.h>

namespace mkmd::compiler {

class RunOncePass : public llvm::PassInfoMixin<RunOncePass> {
public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

}  // namespace mkmd::compiler
