// SPDX-License-Identifier: Apache-2.0
// Links the units of a program, as a device's compiler does for clLinkProgram.
#pragma once

#include <llvm/IR/Module.h>
#include <memory>
#include <vector>

#include "common/status.hpp"

namespace mkmd::compiler {

// At least one, of one context. An error if a name is defined twice, or if what one unit calls or reads is
// something else in another.
Result<std::unique_ptr<llvm::Module>> link_units(std::vector<std::unique_ptr<llvm::Module>> units);

}  // namespace mkmd::compiler
