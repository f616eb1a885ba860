// SPDX-License-Identifier: Apache-2.0
// Predicted execution times. A first estimate comes from a launch's operation and byte counts and each
// device's calibrated rates (a roofline); every executed piece then corrects it, per kernel and device (Rule
// 15 of docs/architecture.md). Shared by all contexts of the process.
#pragma once

#include "compiler/footprint.hpp"
#include "libinterpose/runtime/calibration.hpp"

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace mkmd {

// What is known of one kernel. A correction is the logarithm of measured over estimated time.
struct KernelModel {
  struct Learned {
    double correction = 0;
    int samples = 0;
  };
  std::vector<Learned> devices;                       // over all launches
  std::map<uint64_t, std::vector<Learned>> by_shape;  // per launch shape and scalar arguments
};

struct LaunchCost {
  double operations = 0;
  double bytes = 0;
  uint64_t shape = 0;  // hash of what makes two launches take the same time
};

LaunchCost cost_of(const compiler::KernelInfo& info, const compiler::Launch& launch);

class TimeModel {
public:
  explicit TimeModel(std::vector<DeviceRates> rates);

  // The model of a kernel, by what it is made of. Lives as long as the process.
  KernelModel& of_kernel(const std::string& content_key);

  // Seconds the whole launch takes alone on `device`.
  double seconds(const KernelModel& model, const LaunchCost& cost, int device) const;
  // `share` of the launch took `seconds` on `device`, launch overhead included.
  void learn(KernelModel& model, const LaunchCost& cost, int device, double share, double seconds);

  const DeviceRates& rates(int device) const { return rates_[device]; }

private:
  double estimate(const LaunchCost& cost, int device) const;
  double correction(const KernelModel& model, uint64_t shape, int device) const;

  const std::vector<DeviceRates> rates_;
  mutable std::mutex mutex_;
  std::map<std::string, KernelModel> kernels_;
};

// The process's model, calibrated when first asked for.
TimeModel& time_model();

}  // namespace mkmd
