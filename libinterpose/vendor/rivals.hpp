// SPDX-License-Identifier: Apache-2.0
// Rivals: CPU devices of different drivers that would use the same cores at the same time. A second driver on
// the same cores is another way to run a kernel, not more capacity.
#pragma once

#include "libinterpose/vendor/vendor.hpp"

namespace mkmd::vendor {

// What a device takes of the cores.
struct CoreUse {
  const void* driver = nullptr;  // the device, or the whole of which it is a part; null: no CPU of the host
  unsigned units = 0;            // compute units, of one core each
};

// By device, the number of its team: devices of one driver are a team. All 0: no team
// has rivals, since there is one team, or there are cores for all.
std::vector<int> rival_teams(const std::vector<CoreUse>& devices, unsigned cores);

unsigned usable_cores();  // by this process

// The same of real devices, on these cores.
std::vector<int> rival_teams(const std::vector<Device>& devices);

}  // namespace mkmd::vendor
