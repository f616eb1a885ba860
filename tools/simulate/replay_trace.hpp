// SPDX-License-Identifier: Apache-2.0
// The windows of a trace recorded with --trace-planning, planned again by the library's own planner.
#pragma once

#include "common/status.hpp"

#include <ostream>
#include <string>

namespace mkmd {

// Prints a line per window that is planned differently now, and the sum. Says how many do; an error if
// nothing can be planned again.
Result<size_t> replay_trace(const std::string& trace, std::ostream& out);

}  // namespace mkmd
