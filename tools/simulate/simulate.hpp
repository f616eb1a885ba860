// SPDX-License-Identifier: Apache-2.0
// `mkmd simulate`: schedules a recorded or generated graph with any policy and says how good the schedule is.
// The command as a function; simulate.cpp reads its arguments, report.cpp judges schedules, generate.cpp
// makes inputs.
#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace mkmd {

// `args` are what follows `mkmd simulate`. Returns the exit code: 0; 1 when no valid schedule came out; 2,
// with one line on `err`, for wrong use or broken input.
int run_simulate(std::span<const std::string> args, std::ostream& out, std::ostream& err);
int run_simulate(int argc, char** argv);  // argv[0] is the command's own name; to standard output and error

}  // namespace mkmd
