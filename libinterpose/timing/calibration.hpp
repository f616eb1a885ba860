// SPDX-License-Identifier: Apache-2.0
// Calibration: how fast each device computes, streams memory and starts a kernel, and how long its driver
// takes to build a program. Two small kernels measure it, in a second run once more: the machine may have
// been busy during the first. The cache directory keeps it, keyed by device and driver. A factor of two is
// near enough, because launches of a program's own kernels correct predicted times.
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
  double build_seconds = 0.25;         // of a small program, the first of the process
};

struct Calibration {
  std::vector<DeviceRates> devices;
  // How fast one device and all devices at once stream each memory that several of them work in (Rule 16). A
  // memory is not listed if it could not be measured, or if it limits all devices together hardly at all.
  std::vector<scheduler::Memory> memories;
};

// Never fails: a device that cannot be measured gets the defaults above, with a log line. `domain` is the
// memory of each of the first devices; those behind them are wholes of which others are parts.
Calibration calibrate(const std::vector<vendor::Device>& devices, const std::vector<int>& domain);

}  // namespace mkmd
