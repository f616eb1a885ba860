// SPDX-License-Identifier: Apache-2.0
// Starting a program with the library in it: what `mkmd run`, `mkmd profile` and `mkmd verify` share.
#pragma once

#include "tools/command_line.hpp"

namespace mkmd::tool {

// Checks the options and sets the environment. The exit code, after one line on stderr, if that cannot be.
int prepare(const RunOptions& options);
// Replaces this process by the program. Returns, as a shell would, only if there is none.
int become(const std::vector<std::string>& program);

// How a program ended that was started as a child.
struct Ended {
  bool started = false;
  int code = 0;    // as a shell has it: 128 + the signal's number, if one ended it
  int signal = 0;  // or 0
};
// Starts the program and waits for it. Interrupts from the terminal reach the program alone.
Ended run_child(const std::vector<std::string>& program);

}  // namespace mkmd::tool
