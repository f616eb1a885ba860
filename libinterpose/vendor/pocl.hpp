// SPDX-License-Identifier: Apache-2.0
// What differs between versions of PoCL.
#pragma once

#include "libinterpose/vendor/vendor.hpp"

#include <optional>

namespace mkmd::vendor {

// The major version. Nothing: the platform is none of PoCL's.
std::optional<int> pocl_version(cl_platform_id platform);

// The variable by which it binds each of its threads to a core.
inline constexpr const char* kBindsThreads = "POCL_AFFINITY";

// Whether the driver compiles a kernel once more for launches with a global offset. PoCL does: 50 to 100 ms
// for each kernel and local size.
bool compiles_for_offsets(cl_platform_id platform);

}  // namespace mkmd::vendor
