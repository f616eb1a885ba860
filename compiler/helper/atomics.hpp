// SPDX-License-Identifier: Apache-2.0
// OpenCL C's atomic functions on the memory of buffers: which of them commute, and why others do not.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Instruction.h>
#include <optional>
#include <string>

#include "compiler/kernel_info.hpp"

namespace mkmd::compiler {

struct AtomicOperation {
  llvm::Value* pointer = nullptr;  // to global memory
  Update update;                   // none: it does not commute
  std::string why_not;             // then
};

// "atomic_add", "atom_add", "atomic_fetch_add", "atomic_fetch_add_explicit" → "add".
llvm::StringRef atomic_operation(llvm::StringRef name);

// Nothing: it is no call of such a function, or its pointer may lead to memory that is not global.
std::optional<AtomicOperation> atomic_on_global_memory(llvm::Instruction& instruction);

}  // namespace mkmd::compiler
