// SPDX-License-Identifier: Apache-2.0
// Whether the devices a user names can be had, before the program is started.
#pragma once

#include <string>

namespace mkmd::tool {

// A sentence if they cannot. Vendors are loaded for it, which takes as long as many a short program, so a
// specification that was found good is believed for a day, unless the vendors that are listed or the
// variables they read change (devices.json in the cache directory). Should it be wrong by then, the library
// says so.
std::string check_devices(const std::string& specification);

}  // namespace mkmd::tool
