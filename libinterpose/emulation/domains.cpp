// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/emulation/domains.hpp"

#include <algorithm>

namespace mkmd::emulation {

Domains::Domains(const PlatformFile& platform) {
  for (const platform::Device& d : platform.devices) {
    const auto known = std::find(memory.begin(), memory.end(), d.mem);
    of_device.push_back(static_cast<int>(known - memory.begin()));
    if (known == memory.end()) memory.push_back(d.mem);
  }
}

}  // namespace mkmd::emulation
