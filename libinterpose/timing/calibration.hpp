// SPDX-License-Identifier: Apache-2.0
// Calibration: how fast each device computes, streams memory and starts a kernel, measured once with two
// small kernels and kept in the cache directory, keyed by device and driver. It only has to be right within a
// factor of two or so: what programs' kernels really take is learned from their own launches.
#pragma once

#include "libinterpose/vendor/vendor.hpp"
#include "scheduler/problem.hpp"

#include <string>
#include <vector>

namespace mkmd {

struct DeviceRates {
  std::string kind;  // equal for devices that are alike: name, driver, compute units
  double operations_per_second = 4e9;
  double bytes_per_second = 5e9;
  double launch_seconds = 5e-6;
  double copy_bytes_per_second = 4e9;  // to and from the host's memory
  double copy_seconds = 20e-6;         // fixed cost of a copy
};

struct Calibration {
  std::vector<DeviceRates> devices;
  // How fast one device and all devices at once stream each memory that several of them work in (Rule 16).
  // What could not be measured, or gives all of them nearly what each reaches alone, is not listed: no limit.
  std::vector<scheduler::Memory> memories;
};

// Never fails: a device that cannot be measured gets the defaults above, with a log line. `domain` is the
// memory of each of the first devices; those behind them are wholes of which others are parts.
Calibration calibrate(const std::vector<vendor::Device>& devices, const std::vector<int>& domain);

}  // namespace mkmd
