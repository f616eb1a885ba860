// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/runtime/trouble.hpp"

#include "common/log.hpp"
#include "libinterpose/execution/action.hpp"
#include "libinterpose/process.hpp"

#include <array>
#include <string>

namespace mkmd {

namespace {

constexpr int kMost = 3;  // failures of a device that is still planned for
constexpr size_t kDevices = 64;

std::array<std::atomic<int>, kDevices> failures;
std::atomic<int> left_out_count{0};

// A memory's failures are those of its first device.
int device_of(const Lane& lane) {
  if (!lane.transfers()) return lane.device;
  const Process& p = process();
  for (size_t d = 0; d < p.devices.size(); ++d) {
    if (p.domain[d] == lane.domain) return static_cast<int>(d);
  }
  return p.home_index();
}

}  // namespace

void note_trouble(const Lane& lane, const char* what, cl_int status) {
  const int device = device_of(lane);
  const bool at_home = device == process().home_index() || (lane.transfers() && lane.domain == 0);
  if (at_home || static_cast<size_t>(device) >= kDevices) return;
  const int count = failures[device].fetch_add(1) + 1;
  const std::string line =
      "device " + process().devices[device].name + " failed at " + what + " (" + std::to_string(status) + ")";
  if (count < kMost) log(LogLevel::info, line + ": home does it instead");
  if (count != kMost) return;
  left_out_count.fetch_add(1);
  log(LogLevel::warning, line + ", after other failures: it is left out");
}

bool left_out(int device) {
  return static_cast<size_t>(device) < kDevices && failures[device].load(std::memory_order_relaxed) >= kMost;
}

bool any_left_out() {
  return left_out_count.load(std::memory_order_relaxed) > 0;
}

bool helpers_left() {
  const auto devices = static_cast<int>(process().devices.size());
  return devices - left_out_count.load(std::memory_order_relaxed) >= 2;
}

}  // namespace mkmd
