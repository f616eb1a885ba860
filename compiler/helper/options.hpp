// SPDX-License-Identifier: Apache-2.0
// Turns a program's build options and the device's properties into arguments of clang's front end.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "common/status.hpp"
#include "compiler/request.hpp"

namespace mkmd::compiler {

struct FrontEndArguments {
  std::vector<std::string> language;  // target, language version, extensions, arithmetic
  std::vector<std::string> text;      // what the program's options define and include
};

// How OpenCL's own functions are declared: each when it is first looked for, which is quick, or all at
// once, as drivers do. It makes a difference where a program has a function of such a name. Only then do
// the types of arguments choose among the program's function and OpenCL's.
enum class Declarations { when_used, all };
std::vector<std::string> header_arguments(Declarations declarations);

// Arguments for `clang -cc1`, without input and output. An option nobody specified is refused.
Result<FrontEndArguments> front_end_arguments(const Request& request, const Unit& unit);
// Names that the build options define or undefine themselves.
std::set<std::string> macros_in_options(const std::string& options);

}  // namespace mkmd::compiler
