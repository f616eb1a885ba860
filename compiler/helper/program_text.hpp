// SPDX-License-Identifier: Apache-2.0
// A program's text after its own preprocessing. Its macros, and those of the compiler it was written for,
// are expanded. Its files are included and its conditions decided. Names of OpenCL's own headers stay
// names, since each compiler brings these headers itself. Lines are those of the program (#line).
#pragma once

#include <string>

#include "common/status.hpp"
#include "compiler/request.hpp"

namespace mkmd::compiler {

// The request has all macros that the unit uses: compile_unit() wants no more.
Result<std::string> expand_unit(const Request& request, size_t unit);

}  // namespace mkmd::compiler
