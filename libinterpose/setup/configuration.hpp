// SPDX-License-Identifier: Apache-2.0
// The Configuration of a process: its settings, the real devices behind the virtual one, and their memories.
// A value that is made once and passed down. Nothing here is looked for, asked of a driver, or changed later.
#pragma once

#include "common/settings.hpp"
#include "libinterpose/vendor/vendor.hpp"

#include <algorithm>
#include <vector>

namespace mkmd {

struct Configuration {
  Settings settings;
  std::vector<vendor::Device> devices;  // those that share the work. Empty: no OpenCL on this machine
  // What the virtual device is (Rule 1): the first device, or the whole of which that is a sub-device. A
  // whole excludes its parts in time and runs what cannot be split as fast as without us (Rule 14).
  vendor::Device home{};
  std::vector<int> domain;  // memory domain of each device; devices of one domain share buffers. Home's is 0
  int domain_count = 0;
  // Of each device: it may be gone at any moment, and what only its memory has with it. Empty: none may.
  std::vector<bool> may_be_lost;
  std::vector<int> team;  // of each device among rivals for the same cores; 0: none (vendor/rivals.hpp)
  unsigned cores = 0;     // of the host, that the process may use; 0: not asked

  bool splits() const { return devices.size() > 1; }
  bool may_lose_devices() const {
    return std::find(may_be_lost.begin(), may_be_lost.end(), true) != may_be_lost.end();
  }
  // Home has a lane of its own, behind those of the devices, unless it is one of them.
  bool home_is_whole() const { return !devices.empty() && home.id != devices.front().id; }
  // And the devices are its parts, all of them.
  bool home_is_sum() const {
    return std::all_of(devices.begin(), devices.end(), [&](const auto& d) { return d.parent == home.id; });
  }
  int home_index() const { return home_is_whole() ? static_cast<int>(devices.size()) : 0; }
  // Home, or a part of it.
  bool is_of_home(int device) const { return device == home_index() || devices[device].parent == home.id; }
  size_t lane_count() const { return devices.size() + (home_is_whole() ? 1 : 0); }
  const vendor::Device& lane_device(size_t lane) const {
    return lane < devices.size() ? devices[lane] : home;
  }
  int lane_domain(size_t lane) const { return lane < devices.size() ? domain[lane] : 0; }
};

}  // namespace mkmd
