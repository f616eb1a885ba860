// SPDX-License-Identifier: Apache-2.0
// `mkmd inspect`: shows what a recorded run did. trace_file.cpp reads, analysis.cpp adds up, and a file per
// format writes.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace mkmd::inspect {

// `arguments` are what follows `mkmd inspect`. Returns the exit code. It is 0, or 1 if the output could not
// be written. Wrong use and a broken trace give 2, with one line on `err`.
int run_inspect(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace mkmd::inspect
