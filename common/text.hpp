// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mkmd {

// "1 model", "2 models".
std::string counted(uint64_t count, const std::string& what);

// The text as a terminal may get it, on one line. Bytes that are no UTF-8 become \n, \x1b or \u202e. So
// does what a terminal obeys: control characters, marks that turn the direction of writing.
std::string printable(std::string_view text);

// The same, as XML has it.
std::string escaped(const std::string& text);

}  // namespace mkmd
