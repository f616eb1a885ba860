// SPDX-License-Identifier: Apache-2.0
// The verdict of `mkmd verify`: what the processes of a program have written about their kernels, added up.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace mkmd::tool {

// From the lines of MKMD_VERIFY's file. Has `kernels`, in the order of their names, and `differences`. A
// crash counts only if it is the last that its process has written: a program may handle its own.
nlohmann::json verdict_of(std::string_view lines);

// One line for each kernel and each difference.
std::string as_text(const nlohmann::json& verdict);

}  // namespace mkmd::tool
