// SPDX-License-Identifier: Apache-2.0
// Where Clang's own files lie, OpenCL's headers among them.
#pragma once

#include <string>

namespace mkmd::compiler {

// The folder `clang` beside the helper's own file, if there is one, as in a bundle that is moved to other
// machines. Otherwise it is the folder of the LLVM that the helper was built with.
const std::string& clang_resources();

}  // namespace mkmd::compiler
