// SPDX-License-Identifier: Apache-2.0
// What the compiler of home's driver predefines.
#pragma once

#include "common/status.hpp"
#include "compiler/request.hpp"

#include <string>
#include <vector>

namespace mkmd::api {

// What home's compiler predefines of these names, for a unit with these options
// (compiler::Client::AskDevice).
Result<compiler::Macros> macros_of_home(const std::string& options, const std::vector<std::string>& names);
// The same on a thread that no call of the program waits for: its forks and its exit wait for the driver.
Result<compiler::Macros> macros_beside(const std::string& options, const std::vector<std::string>& names);

}  // namespace mkmd::api
