// SPDX-License-Identifier: Apache-2.0
// One line on stderr, beginning with "mkmd:", for what a user should know about our own doings. The program's
// own output is never touched, so nothing here writes to stdout, and nothing is printed below the chosen
// level.
#pragma once

#include <string>

namespace mkmd {

enum class LogLevel { quiet, error, warning, info, debug };

void set_log_level(LogLevel level);
bool log_enabled(LogLevel level);
void log(LogLevel level, const std::string& line);
// The same line only once in a process.
void log_once(LogLevel level, const std::string& line);

}  // namespace mkmd
