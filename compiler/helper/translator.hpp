// SPDX-License-Identifier: Apache-2.0
// Runs the translator from SPIR-V to LLVM's IR, llvm-spirv, as a child process: it may abort over what it
// does not expect.
#pragma once

#include <string>

#include "common/status.hpp"

namespace mkmd::compiler {

// LLVM's bitcode, with OpenCL's functions under the names they have in OpenCL C 2.0.
Result<std::string> translated_from_spirv(const std::string& module);

}  // namespace mkmd::compiler
