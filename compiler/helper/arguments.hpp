// SPDX-License-Identifier: Apache-2.0
// Reads a kernel's signature: arguments, required work-group size, local memory.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/kernel_info.hpp"

namespace mkmd::compiler {

KernelInfo describe_signature(const llvm::Function& kernel);
// Whether a struct passed by value keeps what the program passed: its address is only loaded and copied from.
bool stays_as_passed(const llvm::Argument& by_value);

}  // namespace mkmd::compiler
