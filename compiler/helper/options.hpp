// SPDX-License-Identifier: Apache-2.0
// Turns a program's build options and the device's properties into arguments of clang's front end.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "common/status.hpp"
#include "compiler/request.hpp"

namespace mkmd::compiler {

// Splits as OpenCL drivers do: blanks separate, double quotes keep together, a backslash quotes one
// character.
std::vector<std::string> split_options(const std::string& options);
// Arguments for `clang -cc1`, without input and output. An option nobody specified is refused.
Result<std::vector<std::string>> front_end_arguments(const Request& request);
// Names that the build options define or undefine themselves.
std::set<std::string> macros_in_options(const std::string& options);

}  // namespace mkmd::compiler
