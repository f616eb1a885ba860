// SPDX-License-Identifier: Apache-2.0
// What a SPIR-V module declares, before anybody translates it. The analysis must know what each part of a
// program means. So a module is only read if it declares nothing but what is listed here.
#pragma once

#include <map>
#include <string>

#include "common/status.hpp"

namespace mkmd::compiler {

// The module's kernels, and why they run whole; empty: that is not known yet.
using KernelsOfSpirv = std::map<std::string, std::string>;

// An error if the module has what the analysis does not know.
Result<KernelsOfSpirv> kernels_of_spirv(const std::string& module);

}  // namespace mkmd::compiler
