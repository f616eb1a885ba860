// SPDX-License-Identifier: Apache-2.0
// Runs the helper as a guest of the user's process. The program's waitpid(-1) and SIGCHLD handler never see
// it. The program's signal handlers, environment and files do not reach it. Nothing of it is left when
// run_helper returns.
#pragma once

#include <string>
#include <string_view>

#include "common/status.hpp"

namespace mkmd::compiler {

// Codes of run_helper's Status that mean: the next time will be no better.
inline constexpr int kHelperCannotStart = -9998, kHelperTooLate = -9997;

// Sends `input` to the helper's standard input and gives back what it writes to its standard output. A helper
// that fails, crashes, is killed or takes longer than `seconds` is a Status.
Result<std::string> run_helper(const std::string& path, std::string_view input, int seconds);

}  // namespace mkmd::compiler
