// SPDX-License-Identifier: Apache-2.0
// Safety: what forbids running a kernel in pieces, and what forbids running it anywhere but at home.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/kernel_info.hpp"

namespace mkmd::compiler {

// On the prepared module, with everything inlined: adds reasons, and fills uses_local_shape, local_bytes,
// uses_fp64 and any_buffer. Takes runs_anywhere away from what only home may run.
void check_safety(llvm::Function& kernel, KernelInfo& info);

}  // namespace mkmd::compiler
