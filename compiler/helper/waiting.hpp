// SPDX-License-Identifier: Apache-2.0
// Kernels that may wait for another command: a loop of theirs may end only once that has changed memory.
#pragma once

#include <llvm/IR/Function.h>

namespace mkmd::compiler {

// On the prepared module, with everything inlined. False only where it is sure that the kernel ends whatever
// other commands do.
bool may_wait_for_others(const llvm::Function& kernel);

}  // namespace mkmd::compiler
