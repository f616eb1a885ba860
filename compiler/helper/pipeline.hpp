// SPDX-License-Identifier: Apache-2.0
// The LLVM passes we run, each with the reason for its place, and the names under which our own can be run
// alone (mkmd-kc --passes).
#pragma once

#include <llvm/IR/Module.h>
#include <string>

#include "common/status.hpp"

namespace mkmd::compiler {

struct PipelineStep {
  const char* passes;  // as for `opt -passes=`
  const char* reason;
};

// Makes a program easy to analyse; nothing of it is ever executed.
Status prepare_for_analysis(llvm::Module& module);
// One or more passes by name, ours included: "mkmd-inline,mkmd-constants".
Status run_passes(llvm::Module& module, const std::string& passes);

}  // namespace mkmd::compiler
