// SPDX-License-Identifier: Apache-2.0
// Where an instruction comes from.
#pragma once

#include <llvm/IR/Instruction.h>

namespace mkmd::compiler {

// Its line in the program's source; 0: not known.
inline int line_of(const llvm::Instruction& i) {
  return i.getDebugLoc() ? static_cast<int>(i.getDebugLoc().getLine()) : 0;
}

}  // namespace mkmd::compiler
