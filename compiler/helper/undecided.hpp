// SPDX-License-Identifier: Apache-2.0
// Comparisons that no compiler decides, even if it knows all that drivers tell of ids and sizes of an
// NDRange: bounds, and lowest bits.
#pragma once

#include <cstdint>
#include <llvm/IR/Instructions.h>

namespace mkmd::compiler {

enum class Known { ids, sizes };

// Of `what`, a compiler may know more in one of two builds. The other number must be any, then: an argument,
// or loaded. Beside a size that is no product with a large factor, it may be an id.
bool is_undecided(const llvm::ICmpInst& compared, Known what);

// The sum of an id and sizes, as of a loop that goes on by the global size, is compared with a constant.
// Known of it is that it is at least a work-group. In work-groups of up to this size, the loop may take more
// steps than are unrolled, so it stays a loop. 0: it is another comparison.
uint64_t largest_local_size(const llvm::ICmpInst& compared);

}  // namespace mkmd::compiler
