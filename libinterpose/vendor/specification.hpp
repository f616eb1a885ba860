// SPDX-License-Identifier: Apache-2.0
// The text a user writes to choose devices: `PLATFORM[:INDEX][/PARTS]`, comma-separated. Only its form is
// checked here; select.cpp finds the devices it means.
#pragma once

#include "common/status.hpp"

#include <optional>
#include <string>
#include <vector>

namespace mkmd::vendor {

struct Item {
  std::string text;          // as written
  std::string platform;      // lower case
  std::optional<int> index;  // without one: every device of the platform
  int parts = 1;             // equal sub-devices instead of the device itself, if more than 1
  bool operator==(const Item&) const = default;
};

Result<std::vector<Item>> parse_specification(const std::string& specification);

std::string lower_case(std::string text);

// Whether a user who writes `wanted` (lower case) may mean the platform of this name: a well-known short
// name, or a part of the name.
bool platform_matches(const std::string& platform_name, const std::string& wanted);

}  // namespace mkmd::vendor
