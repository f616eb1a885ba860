// SPDX-License-Identifier: Apache-2.0
// A Platform as JSON: the `platform` of docs/exchange-format.md. Errors name the place.
#pragma once

#include "platform/platform.hpp"

#include <nlohmann/json_fwd.hpp>

namespace mkmd {
class JsonReader;
}

namespace mkmd::platform {

// Silent about keys it does not know. The platform is checked.
Result<Platform> from_json(const nlohmann::json& json);

nlohmann::ordered_json to_json(const Platform& platform);

// The `rates` of a device, where there are any: without bytes_rows and bytes_tiles these are as bytes.
Rates read_rates(JsonReader& device);
nlohmann::ordered_json to_json(const Rates& rates);

}  // namespace mkmd::platform
