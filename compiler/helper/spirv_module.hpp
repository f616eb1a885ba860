// SPDX-License-Identifier: Apache-2.0
// What a SPIR-V module declares, before anybody translates it. The analysis rests on knowing what each part
// of a program means, so a module is only read if it declares nothing but what is listed here.
#pragma once

#include <set>
#include <string>

#include "common/status.hpp"

namespace mkmd::compiler {

// Names of the module's kernels; an error if it has what the analysis does not know.
Result<std::set<std::string>> kernels_of_spirv(const std::string& module);

}  // namespace mkmd::compiler
