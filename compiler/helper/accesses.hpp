// SPDX-License-Identifier: Apache-2.0
// Describes every access of a kernel to its buffers, and what it costs. Works on a prepared clone of the
// kernel (all calls inlined, in SSA form, loops simplified): see pipeline.hpp.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/kernel_info.hpp"

namespace mkmd::compiler {

// Fills accesses, cost and what they refer to; appends to `reasons` when an access cannot be traced to one
// argument.
void describe_accesses(llvm::Function& kernel, KernelInfo& info);

}  // namespace mkmd::compiler
