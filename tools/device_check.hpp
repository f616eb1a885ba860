// SPDX-License-Identifier: Apache-2.0
// Whether the devices a user names can be had, before the program is started.
#pragma once

#include <string>

namespace mkmd::tool {

// A sentence if they cannot. The check loads vendors, which takes as long as many a short program. So a
// specification that was found good is believed for a day. It is checked again if the listed vendors change
// or the variables they read (devices.json in the cache directory). If it is wrong by then, the library
// says so.
std::string check_devices(const std::string& specification);

}  // namespace mkmd::tool
