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

// Whether these options say how to read the program's text and no more: they change no code once it is read.
bool only_about_text(const std::string& options);

// How to build Module::source: its macros are expanded and its files included already, and the program is not
// to hear of warnings about text of ours.
std::string source_build_options(const std::string& program_options);

}  // namespace mkmd::compiler
