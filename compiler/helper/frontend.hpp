// SPDX-License-Identifier: Apache-2.0
// Runs clang on a program's units, inside this process, and links what it makes of them.
#pragma once

#include <llvm/IR/Module.h>
#include <memory>

#include "compiler/helper/options.hpp"
#include "compiler/module_file.hpp"
#include "compiler/request.hpp"

namespace mkmd::compiler {

struct FrontEndResult {
  std::unique_ptr<llvm::Module> module;  // unoptimised, with line tables; null if macros are wanted
  std::vector<std::string> macros_wanted;
  size_t macros_unit = 0;  // which unit wants them
  std::vector<Dependency> dependencies;
  std::vector<Declarations> declarations;  // how each unit had to be read
};

// The context must outlive the module.
Result<FrontEndResult> compile_program(const Request& request, llvm::LLVMContext& context);

}  // namespace mkmd::compiler
