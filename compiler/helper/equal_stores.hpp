// SPDX-License-Identifier: Apache-2.0
// Stores that write the same number in whichever work-item they happen.
#pragma once

#include <llvm/IR/Instructions.h>

#include "compiler/helper/values.hpp"

namespace mkmd::compiler {

// A vector is so many numbers. No update: what it stores may differ between work-items, or lie at an address
// that is no multiple of the number's width.
Update equal_store(const llvm::StoreInst& store, Values& values, InfoBuilder& builder);

}  // namespace mkmd::compiler
