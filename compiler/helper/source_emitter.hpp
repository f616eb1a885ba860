// SPDX-License-Identifier: Apache-2.0
// The source emitter: a program's kernels as OpenCL C that any vendor's compiler takes. The hidden
// arguments of compiler/kernel_info.hpp follow the kernels' own. The code is the program's text, unit by
// unit. What asks for a place in the NDRange gets the place in the program's NDRange, of which a launch is
// only a box.
#pragma once

#include <string>

#include "common/status.hpp"
#include "compiler/helper/options.hpp"
#include "compiler/request.hpp"

namespace mkmd::compiler {

// Every kernel of the program gets hidden arguments, whether it may be split or not. So does every function
// that leads to a work-item function, in whichever unit. An error if the text cannot be changed with
// certainty.
Result<std::vector<std::string>> emit_sources(const Request& request,
                                              const std::vector<Declarations>& declarations);

}  // namespace mkmd::compiler
