// SPDX-License-Identifier: Apache-2.0
// Floating-point numbers that a compiler may compute itself in one of two builds, with other last bits.
//
// Each single operation gives the same bits, whoever computes it. A product that goes into a sum does not:
// the device rounds once, behind the sum, and a compiler that knows both factors rounds the product, too.
// Functions of mathematics consist of such sums. So bits depend on which numbers a compiler knows. That
// follows from all of the text: LLVM may copy a loop for one of its conditions, and so know a number on each
// of the paths. It follows from what drivers tell their compilers of an NDRange, too. Where no such product
// can be known, neither matters.
// Signs and payloads of NaNs are not looked at: not even the order of two operands leaves them alone.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/helper/known_numbers.hpp"

namespace mkmd::compiler {

// A product of two factors that are both constants on some path, and not always, which goes into a sum; or a
// call of a function of mathematics with such an argument. Null: there is none.
const llvm::Instruction* folded_product(const llvm::Function& kernel, LocalSize local_size);

}  // namespace mkmd::compiler
