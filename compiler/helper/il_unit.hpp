// SPDX-License-Identifier: Apache-2.0
// Reads a unit that arrived as SPIR-V. What comes of it is not made by our front end, so each thing that the
// analysis takes from there is asked for here again.
#pragma once

#include <llvm/IR/Module.h>
#include <memory>
#include <string>

#include "common/status.hpp"

namespace mkmd::compiler {

// The attribute of a kernel that says why it runs whole.
constexpr const char* kRunsWhole = "mkmd-runs-whole";

Result<std::unique_ptr<llvm::Module>> read_spirv(const std::string& source, llvm::LLVMContext& context);

}  // namespace mkmd::compiler
