// SPDX-License-Identifier: Apache-2.0
// The trace of a run (MKMD_TRACE): one JSON object per line, in the order things became known, so that a file
// cut off by a crash is still good up to its last line. docs/trace.md describes the lines. Without the
// setting nothing is done: every caller asks tracing() first.
#pragma once

#include <CL/cl.h>
#include <nlohmann/json.hpp>

#include <string>

namespace mkmd {

bool tracing();

// Adds a line. It reaches the file with the next trace_flush(), or with another line 10 ms later or more.
void trace(const nlohmann::json& line);
// A line about the devices and links that the following windows are planned for, if it is news.
void trace_platform(const nlohmann::json& platform);
// Counts a command that went straight to the home's own queue, and why if it is a kernel. `line` is the
// program's source line, 0: not known.
void trace_native(cl_command_type type);
void trace_native_kernel(const std::string& name, const std::string& reason, int line);

// Writes what was added: before a program learns that all captured work is done, and at exit. The file is
// opened and closed here: no descriptor of ours stays in the program. One that another process is writing is
// left to that one (common/trace_owner.hpp).
void trace_flush();

}  // namespace mkmd
