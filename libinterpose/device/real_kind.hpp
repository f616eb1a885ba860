// SPDX-License-Identifier: Apache-2.0
// Real devices, as a kind of device: drivers time them, and calibration measures them.
#pragma once

#include "libinterpose/device/device_kind.hpp"
#include "libinterpose/vendor/bound_threads.hpp"

namespace mkmd {

class RealKind : public DeviceKind {
public:
  // `threads`: of a driver whose device was divided; null: none are bound.
  explicit RealKind(std::unique_ptr<vendor::BoundThreads> threads = nullptr) : threads_(std::move(threads)) {}

  Calibration calibrate(const Configuration& configuration) override;
  std::vector<scheduler::Link> links() override { return {}; }
  double cache_bytes(const Configuration& configuration) const override;
  std::unique_ptr<Devices> make_devices(int64_t host_to_home, Trouble& trouble,
                                        DriverCompilers& compilers) override;
  std::optional<double> told_seconds(int, const KernelCommand&, double) override { return std::nullopt; }
  void note_native_command() override {
    if (threads_) threads_->native_command();
  }

private:
  const std::unique_ptr<vendor::BoundThreads> threads_;
};

}  // namespace mkmd
