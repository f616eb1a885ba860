// SPDX-License-Identifier: Apache-2.0
// A DeviceKind is everything that devices of one kind do their own way: their hardware, how fast they are,
// and who carries out their actions. The process chooses one; nobody else asks which it is.
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
  // Between any two memories, by domain. None: the time model knows what copies take.
  virtual std::vector<scheduler::Link> links() = 0;
  virtual double
  cache_bytes(const Configuration& configuration) const = 0;  // of home's last cache; 0: not known

  // Who carries out a context's actions. `host_to_home`: nanoseconds of home's clock minus the host's.
  virtual std::unique_ptr<Devices> make_devices(int64_t host_to_home, Trouble& trouble,
                                                DriverCompilers& compilers) = 0;

  // What a share of a launch takes on a device, where that need not be run to be known.
  virtual std::optional<double> told_seconds(int device, const KernelCommand& command, double share) = 0;
};

DeviceKind& real_devices();  // real_kind.hpp

}  // namespace mkmd
