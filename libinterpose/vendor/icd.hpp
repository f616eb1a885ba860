// SPDX-License-Identifier: Apache-2.0
// Loading one vendor's ICD library and asking it for its platforms. Only this folder includes this file.
#pragma once

#include "libinterpose/vendor/vendor.hpp"

namespace mkmd::vendor {

// The platforms of one ICD library, given by path or by a name for dlopen. `*is_self`, if given, tells
// whether the library is this one or an OpenCL loader, from neither of which devices can come.
std::vector<Platform> load_icd(const std::string& library, bool* is_self = nullptr);

// Libraries that are installed without being listed as ICDs, which we know how to find.
struct UnlistedIcd {
  const char* platform;  // short name
  const char* library;
  const char* reason;
};
const std::vector<UnlistedIcd>& unlisted_icds();

}  // namespace mkmd::vendor
