// SPDX-License-Identifier: Apache-2.0
// A DeviceKind has everything in which devices of one kind differ from others: their hardware, their rates,
// and what carries out their actions. The process chooses one. No other code knows which.
#pragma once

#include "libinterpose/commands/command.hpp"
#include "libinterpose/device/driver_compilers.hpp"
#include "libinterpose/device/trouble.hpp"
#include "libinterpose/execution/devices.hpp"
#include "libinterpose/setup/configuration.hpp"
#include "libinterpose/setup/hardware.hpp"
#include "libinterpose/timing/calibration.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace mkmd {

class DeviceKind : public Hardware {
public:
  virtual Calibration calibrate(const Configuration& configuration) = 0;
  // Links between memories, by domain. Empty: the time model predicts copies.
  virtual std::vector<scheduler::Link> links() = 0;
  virtual double
  cache_bytes(const Configuration& configuration) const = 0;  // of home's last cache; 0: not known

  // Makes what carries out a context's actions. `host_to_home` is home's clock minus the host's, in
  // nanoseconds.
  virtual std::unique_ptr<Devices> make_devices(int64_t host_to_home, Trouble& trouble,
                                                DriverCompilers& compilers) = 0;

  // The seconds that a share of a launch takes on a device, if the kind knows without running it.
  virtual std::optional<double> told_seconds(int device, const KernelCommand& command, double share) = 0;
};

DeviceKind& real_devices();  // real_kind.hpp

}  // namespace mkmd
