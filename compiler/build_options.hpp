// SPDX-License-Identifier: Apache-2.0
// Build options: what a program gives clBuildProgram, and what code of ours that is made from it is built
// with.
#pragma once

#include <string>
#include <vector>

namespace mkmd::compiler {

// Splits as OpenCL drivers do: blanks separate, double quotes keep together, a backslash quotes one
// character.
std::vector<std::string> split_options(const std::string& options);

// Whether these options only say how to read the program's text, or what a link is to make. Such options
// change no code of what is then there.
bool only_about_text(const std::string& options);

bool creates_library(const std::string& link_options);

// How to build or compile a unit's text in Module::sources. Its macros are expanded and its files included
// already. The program does not see warnings about our text.
std::string source_build_options(const std::string& program_options);

// A macro that the text is built with where the launches of pieces have an offset, that of the program plus
// that of the piece's first group. get_global_id() is then the device's own, as in the program's text.
// Without the macro pieces are launched without offset.
inline constexpr const char* kByOffset = "MKMD_BY_OFFSET";

}  // namespace mkmd::compiler
