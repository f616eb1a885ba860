// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/vendor/callbacks.hpp"

#include "libinterpose/vendor/pocl.hpp"

namespace mkmd::vendor {

bool ends_callbacks_before_waits(cl_device_id device) {
  const auto platform = device_value<cl_platform_id>(device, CL_DEVICE_PLATFORM);
  if (platform == nullptr || !is_host_cpu(device)) return false;
  if (const std::optional<int> pocl = pocl_version(platform)) return *pocl < 7;
  return short_name({platform, platform_string(platform, CL_PLATFORM_NAME)}) == "intel";
}

}  // namespace mkmd::vendor
