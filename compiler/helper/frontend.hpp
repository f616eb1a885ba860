// SPDX-License-Identifier: Apache-2.0
// Runs clang on a program's source, inside this process.
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
  Macros macros;  // of the request: those that the program uses
  std::vector<Dependency> dependencies;
  Declarations declarations = Declarations::when_used;  // how the program had to be read
};

// The context must outlive the module.
Result<FrontEndResult> compile_source(const Request& request, llvm::LLVMContext& context);

}  // namespace mkmd::compiler
