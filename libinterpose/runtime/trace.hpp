// SPDX-License-Identifier: Apache-2.0
// The trace of a run (MKMD_TRACE): one JSON object per line, in the order things became known, so that a file
// cut off by a crash is still good up to its last line. docs/trace.md describes the lines. Nothing is done
// without the setting.
#pragma once

#include <nlohmann/json.hpp>

namespace mkmd {

bool tracing();

// Adds a line; it reaches the file with the next trace_flush().
void trace(const nlohmann::json& line);
// Writes what was added. The file is opened and closed here: no descriptor of ours stays in the program.
void trace_flush();

}  // namespace mkmd
