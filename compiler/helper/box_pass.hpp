// SPDX-License-Identifier: Apache-2.0
// The sub-kernel pass: gives every kernel nine hidden trailing arguments (kHiddenArguments in
// kernel_info.hpp), so that a launch of a box of the original work-groups answers every work-item builtin as
// the original NDRange would. The kernel keeps its name. Calls that lead to such builtins must have been
// inlined: see inline_pass.hpp.
#pragma once

#include <llvm/IR/PassManager.h>

namespace mkmd::compiler {

class BoxPass : public llvm::PassInfoMixin<BoxPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

// A function other than a kernel still asks for ids of the NDRange: the program could not be boxed.
bool ids_outside_kernels(const llvm::Module& module);

}  // namespace mkmd::compiler
