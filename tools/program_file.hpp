// SPDX-License-Identifier: Apache-2.0
// What the file of a program says about how the dynamic loader will treat it.
#pragma once

#include <string>

namespace mkmd::tool {

// Why the dynamic loader puts no library into this program, such as "it is statically linked". It is empty
// if the loader does, or if the file cannot be read. The program is found in PATH as execvp() finds it. A
// script counts as its interpreter.
std::string why_no_library(const std::string& program);

// The interpreter or dynamic loader that the program's file names and that does not exist, or nothing.
std::string missing_interpreter(const std::string& program);

}  // namespace mkmd::tool
