// SPDX-License-Identifier: Apache-2.0
// Keeps LLVM from concluding anything of results that OpenCL C leaves open. These are divisions by zero and
// conversions of floating numbers that are too large. Such a program is correct, and its result is some
// number. To LLVM it is poison: it may fold away whatever is computed from it, and all code behind a store
// at such an address. The pass hides operands of divisions, conversions and shifts, and what has no value,
// behind calls of a function that gives back its operand.
//
// Devices may compute floating numbers in several ways: with or without denormalised numbers, with products
// and sums put together, with divisions that are less exact. So nothing follows from the number that LLVM
// computes. The pass hides floating operands of whatever makes a truth value or an integer of them.
#pragma once

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/PassManager.h>

namespace mkmd::compiler {

class UnspecifiedPass : public llvm::PassInfoMixin<UnspecifiedPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

// A call in front of `before` that gives some number of the type.
llvm::CallInst* any_number(llvm::Type* type, llvm::Instruction& before);
// Whether a quotient and a remainder are specified, whatever is divided. By -1 the least number has none that
// fits its type.
bool divides_all(const llvm::Value* divisor, bool is_signed);
// Whether this is the name of such a function.
bool gives_back_operand(llvm::StringRef function);

}  // namespace mkmd::compiler
