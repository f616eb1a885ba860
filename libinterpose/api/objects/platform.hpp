// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "libinterpose/objects/objects.hpp"

namespace mkmd::api {

// What a NULL platform means: ours, or null if there is none (no device, or switched off).
Platform* our_platform();

// With MKMD_ENABLE=0, what a NULL platform means instead; otherwise null.
cl_platform_id default_vendor_platform();

// The virtual device if the program's device type includes it; otherwise a code in `error`.
Device* device_of_type(Platform& platform, cl_device_type type, cl_int& error);

}  // namespace mkmd::api
