// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/device/trouble.hpp"

#include "common/log.hpp"
#include "libinterpose/execution/action.hpp"
#include "libinterpose/vendor/careful.hpp"
#include "libinterpose/vendor/patience.hpp"
#include "libinterpose/vendor/silence.hpp"

#include <set>
#include <string>

namespace mkmd {

namespace {
constexpr int kMost = 3;  // failures of a device that is still planned for

std::set<const cl_icd_dispatch*> drivers_of(const Configuration& configuration, int domain) {
  std::set<const cl_icd_dispatch*> drivers;
  for (size_t d = 0; d < configuration.devices.size(); ++d) {
    if (configuration.domain[d] == domain) drivers.insert(&vendor::table(configuration.devices[d].id));
  }
  return drivers;
}
}  // namespace

// Failures of transfers count for the first device of the memory.
int Trouble::device_of(const Lane& lane) const {
  if (!lane.transfers()) return lane.device;
  for (size_t d = 0; d < configuration_.devices.size(); ++d) {
    if (configuration_.domain[d] == lane.domain) return static_cast<int>(d);
  }
  return configuration_.home_index();
}

void Trouble::note(const Lane& lane, const char* what, cl_int status) {
  const int device = device_of(lane);
  const bool at_home = device == configuration_.home_index() || (lane.transfers() && lane.domain == 0);
  if (at_home || static_cast<size_t>(device) >= kDevices || is_lost(configuration_.domain[device])) return;
  if (may_be_lost(device)) suspects_.fetch_or(1u << configuration_.domain[device]);
  const int count = failures_[device].fetch_add(1) + 1;
  const std::string line = "device " + configuration_.devices[device].name + " failed at " + what + " (" +
                           std::to_string(status) + ")";
  if (count < kMost) log(LogLevel::info, line + ": home does it instead");
  if (count != kMost) return;
  left_out_count_.fetch_add(1);
  log(LogLevel::warning, line + ", after other failures: it is left out");
}

bool Trouble::may_be_lost(int device) const {
  return static_cast<size_t>(device) < configuration_.may_be_lost.size() &&
         configuration_.may_be_lost[device];
}

void Trouble::look(int domain) {
  if (domain == 0 || is_lost(domain)) return;
  suspects_.fetch_and(~(1u << domain));
  for (size_t d = 0; d < configuration_.devices.size(); ++d) {
    if (configuration_.domain[d] != domain || !may_be_lost(static_cast<int>(d))) continue;
    const cl_device_id id = configuration_.devices[d].id;
    if (vendor::is_available(id)) continue;
    return lose(domain, vendor::is_late(id) ? "it does not answer" : "its driver says so");
  }
}

void Trouble::look_at_suspects() {
  const uint32_t suspects = suspects_.load(std::memory_order_relaxed);
  for (int domain = 1; suspects >> domain != 0; ++domain) {
    if ((suspects >> domain & 1u) != 0) look(domain);
  }
}

void Trouble::lose(int domain, const char* why) {
  std::string names;
  for (size_t d = 0; d < configuration_.devices.size() && d < kDevices; ++d) {
    if (configuration_.domain[d] != domain) continue;
    if (!may_be_lost(static_cast<int>(d))) return;
    names += (names.empty() ? "" : ", ") + configuration_.devices[d].name;
  }
  if (names.empty() || (lost_.fetch_or(1u << domain) >> domain & 1u) != 0) return;
  for (size_t d = 0; d < configuration_.devices.size() && d < kDevices; ++d) {
    if (configuration_.domain[d] == domain && failures_[d].exchange(kMost) < kMost)
      left_out_count_.fetch_add(1);
  }
  log(LogLevel::warning, "device " + names + " is lost (" + why + "): it is left out");
  // Before anything else needs the driver's other devices. Where none is left, releasing what is its could
  // last for ever.
  const auto drivers = drivers_of(configuration_, domain);
  std::set<const cl_icd_dispatch*> empty = drivers;
  for (size_t d = 0; d < configuration_.devices.size(); ++d) {
    const cl_icd_dispatch* const driver = &vendor::table(configuration_.devices[d].id);
    if (drivers.count(driver) == 0) continue;
    look(configuration_.domain[d]);
    if (!is_lost(configuration_.domain[d])) empty.erase(driver);
  }
  if (!empty.empty()) vendor::never_release({empty.begin(), empty.end()});
}

bool Trouble::left_out(int device) const {
  return static_cast<size_t>(device) < kDevices && failures_[device].load(std::memory_order_relaxed) >= kMost;
}

bool Trouble::helpers_left() const {
  const auto devices = static_cast<int>(configuration_.devices.size());
  return devices - left_out_count_.load(std::memory_order_relaxed) >= 2;
}

}  // namespace mkmd
