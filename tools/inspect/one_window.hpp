// SPDX-License-Identifier: Apache-2.0
// A part of a trace.
#pragma once

#include "tools/inspect/trace_file.hpp"

namespace mkmd::inspect {

// Only what belongs to one window; commands are renumbered, native commands left out.
Trace only_window(const Trace& trace, size_t window);

}  // namespace mkmd::inspect
