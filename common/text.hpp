// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace mkmd {

// "1 model", "2 models".
std::string counted(uint64_t count, const std::string& what);

// As XML has it; control characters, which it cannot have, are left out.
std::string escaped(const std::string& text);

}  // namespace mkmd
