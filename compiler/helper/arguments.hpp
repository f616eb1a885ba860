// SPDX-License-Identifier: Apache-2.0
// Reads a kernel's signature: arguments, required work-group size, local memory.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/kernel_info.hpp"

namespace mkmd::compiler {

KernelInfo describe_signature(const llvm::Function& kernel);

}  // namespace mkmd::compiler
