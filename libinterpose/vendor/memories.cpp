// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/vendor/memories.hpp"

#include <algorithm>

namespace mkmd::vendor {

namespace {

bool share_memory(const MemoryPlace& a, const MemoryPlace& b) {
  if (a.device == nullptr || a.platform != b.platform) return false;
  return a.device == b.device || (a.host && b.host);
}

}  // namespace

MemoryPlace place_of(const Device& device) {
  return {device.platform, whole_of(device).id, is_host_cpu(device.id)};
}

std::vector<int> memory_domains(const std::vector<MemoryPlace>& devices) {
  std::vector<int> domains;
  int count = 0;
  for (const MemoryPlace& device : devices) {
    const auto earlier = devices.begin() + static_cast<std::ptrdiff_t>(domains.size());
    const auto same = std::find_if(devices.begin(), earlier,
                                   [&](const MemoryPlace& other) { return share_memory(other, device); });
    domains.push_back(same == earlier ? count++ : domains[static_cast<size_t>(same - devices.begin())]);
  }
  return domains;
}

}  // namespace mkmd::vendor
