// SPDX-License-Identifier: Apache-2.0
// The lines of a trace, not yet understood.
#pragma once

#include <istream>
#include <string>

namespace mkmd::inspect {

// As getline, but of a longer line than parse_json() accepts only the beginning.
bool next_line(std::istream& in, std::string& line);

// Whether the file begins as traces do.
bool is_trace(const std::string& path);

}  // namespace mkmd::inspect
