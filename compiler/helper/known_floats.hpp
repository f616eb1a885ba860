// SPDX-License-Identifier: Apache-2.0
// Which floating-point numbers follow from what a compiler may know of an NDRange. A compiler that knows a
// factor rounds a product before a sum, where a device would not. So such numbers may have other last bits
// where another compiler run knows less, or more.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/kernel_info.hpp"

namespace mkmd::compiler {

// Sets KernelInfo::ids_in_floats, sizes_in_floats and largest_local_size. A number follows from an id if it
// is computed from it, or is one of several that it chooses. An address, a bound or a condition counts only
// where a compiler may decide it: `t[id & 3]` may be one of few elements, while `t[id]` is any.
void find_known_floats(llvm::Function& kernel, KernelInfo& info);

}  // namespace mkmd::compiler
