// SPDX-License-Identifier: Apache-2.0
// JSON that others wrote: a mistake in it is a sentence, never an exception.
#pragma once

#include "common/status.hpp"

#include <nlohmann/json.hpp>

#include <string_view>

namespace mkmd {

// The value of a text, or one line that says where it stops being JSON and why ("line 3, column 14: …", "it
// is empty"). A number that fits no double is a mistake, too.
Result<nlohmann::json> parse_json(std::string_view text);

}  // namespace mkmd
