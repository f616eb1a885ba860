// SPDX-License-Identifier: Apache-2.0
// Pieces without code of ours: the program's own kernel, launched with a global offset. It computes what the
// whole launch computes for a box of work-groups if it cannot tell one from the other.
#pragma once

#include <llvm/IR/Function.h>
#include <string>

namespace mkmd::compiler {

// The function by which a kernel learns which part of the NDRange it is; empty: there is none. The kernel is
// prepared for analysis, and may be split otherwise: all that it calls is known.
std::string tells_part_from_whole(const llvm::Function& kernel);

}  // namespace mkmd::compiler
