// SPDX-License-Identifier: Apache-2.0
// Starting a program with the library in it: what `mkmd run` and `mkmd profile` have in common.
#pragma once

#include "tools/command_line.hpp"

namespace mkmd::tool {

// Checks the options and sets the environment. The exit code, after one line on stderr, if that cannot be.
int prepare(const RunOptions& options);
// Replaces this process by the program. Returns, as a shell would, only if there is none.
int become(const std::vector<std::string>& program);

}  // namespace mkmd::tool
