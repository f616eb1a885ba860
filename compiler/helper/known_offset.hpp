// SPDX-License-Identifier: Apache-2.0
// A driver may compile a kernel for launches without an offset: get_global_offset() is then the constant 0.
// In code for pieces it is an argument. Integers are the same either way. Floating-point numbers may not be:
// compilers give 0.0f / 0.0f another sign than processors.
#pragma once

#include <llvm/IR/Function.h>

namespace mkmd::compiler {

// Whether such a compiler may know a floating-point number of the kernel that it would not know otherwise.
bool knows_number_by_offset(const llvm::Function& kernel);

}  // namespace mkmd::compiler
