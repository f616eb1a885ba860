// SPDX-License-Identifier: Apache-2.0
// Keeps LLVM from concluding anything of results that OpenCL C leaves open: what a division by zero gives, or
// the conversion of a floating number that is too large. Such a program is correct, and its result is some
// number. To LLVM it is poison: whatever is computed from it may be folded away, and all code behind a store
// at such an address. The pass hides operands of divisions, conversions and shifts, and what has no value,
// behind calls of a function that gives back its operand.
#pragma once

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/PassManager.h>

namespace mkmd::compiler {

class UnspecifiedPass : public llvm::PassInfoMixin<UnspecifiedPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

// What nobody has given a value.
llvm::CallInst* any_number(llvm::Type* type, llvm::Instruction& before);
// Whether this is the name of such a function.
bool gives_back_operand(llvm::StringRef function);

}  // namespace mkmd::compiler
