// SPDX-License-Identifier: Apache-2.0
// A run of clang over one unit of a request. The unit is read with its build options, its embedded headers,
// and the macros of the device's compiler.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/status.hpp"
#include "compiler/helper/clang_run.hpp"
#include "compiler/request.hpp"

namespace mkmd::compiler {

// Prepared. `headers`: arguments for OpenCL's own headers; none: their names stay unknown.
Result<std::unique_ptr<ClangRun>> run_of_unit(const Request& request, size_t unit,
                                              const std::vector<std::string>& headers = {});

}  // namespace mkmd::compiler
