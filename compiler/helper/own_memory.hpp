// SPDX-License-Identifier: Apache-2.0
// Pointers to private and local memory that a kernel keeps in private or local memory. The analysis takes
// such a pointer, once loaded, for what it says it is. So no bits of anything else may lie where it is
// loaded.
#pragma once

#include <llvm/IR/Function.h>

namespace mkmd::compiler {

// An access to a kept pointer's bytes as something that is no pointer, or to such bytes as a pointer; null:
// there is none. Stores and loads of pointers to buffers are not looked at: safety.cpp refuses them.
const llvm::Instruction* pointer_kept_as_something_else(llvm::Function& kernel);

// Of one work-item or work-group. No pointer of these kinds leads into a buffer, unless the program makes one
// of another pointer's or a number's bits.
bool leads_to_own_memory(const llvm::Type* pointer);
// Of the whole device, or of any kind.
bool may_be_global(const llvm::Value* pointer);

}  // namespace mkmd::compiler
