// SPDX-License-Identifier: Apache-2.0
// What differs between versions of PoCL.
#pragma once

#include "libinterpose/vendor/vendor.hpp"

#include <optional>

namespace mkmd::vendor {

// The major version. Nothing: the platform is none of PoCL's.
std::optional<int> pocl_version(cl_platform_id platform);

}  // namespace mkmd::vendor
