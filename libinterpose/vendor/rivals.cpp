// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/vendor/rivals.hpp"

#include <sched.h>
#include <unistd.h>

namespace mkmd::vendor {

std::vector<int> rival_teams(const std::vector<CoreUse>& devices, unsigned cores) {
  std::vector<int> teams(devices.size(), 0);
  std::vector<const void*> drivers;
  unsigned units = 0;
  for (size_t d = 0; d < devices.size(); ++d) {
    if (devices[d].driver == nullptr) continue;
    auto found = std::find(drivers.begin(), drivers.end(), devices[d].driver);
    if (found == drivers.end()) found = drivers.insert(found, devices[d].driver);
    teams[d] = 1 + static_cast<int>(found - drivers.begin());
    units += devices[d].units;
  }
  if (drivers.size() < 2 || units <= cores) teams.assign(devices.size(), 0);
  return teams;
}

unsigned usable_cores() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return static_cast<unsigned>(CPU_COUNT(&allowed));
  return static_cast<unsigned>(sysconf(_SC_NPROCESSORS_ONLN));
}

std::vector<int> rival_teams(const std::vector<Device>& devices) {
  std::vector<CoreUse> uses;
  for (const Device& device : devices) {
    if (!is_host_cpu(device.id)) {
      uses.emplace_back();
      continue;
    }
    uses.push_back({whole_of(device).id, device_value<cl_uint>(device.id, CL_DEVICE_MAX_COMPUTE_UNITS)});
  }
  return rival_teams(uses, usable_cores());
}

}  // namespace mkmd::vendor
