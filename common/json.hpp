// SPDX-License-Identifier: Apache-2.0
// JSON that others wrote. A mistake in it is a sentence, never an exception. No text can use up the stack
// or the memory. Every text that becomes JSON comes this way.
#pragma once

#include "common/status.hpp"

#include <nlohmann/json.hpp>

#include <string_view>

namespace mkmd {

// More than any format of ours needs. A value that is copied, compared or written calls itself once per
// level.
inline constexpr int kMostJsonLevels = 64;
inline constexpr size_t kMostJsonBytes = size_t{128} << 20;

// The value of a text, or one line that says where it stops being JSON and why ("line 3, column 14: …", "it
// is empty"). A number that fits no double is a mistake, too, and so is more than the limits above.
Result<nlohmann::json> parse_json(std::string_view text);

}  // namespace mkmd
