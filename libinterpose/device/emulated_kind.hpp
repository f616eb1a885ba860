// SPDX-License-Identifier: Apache-2.0
// The devices of a platform file (docs/emulation.md), as a kind of device.
#pragma once

#include "libinterpose/device/device_kind.hpp"
#include "libinterpose/emulation/machine.hpp"

#include <atomic>

namespace mkmd {

class EmulatedKind : public DeviceKind {
public:
  explicit EmulatedKind(emulation::PlatformFile platform) : machine_(std::move(platform)) {}

  emulation::Machine& machine() { return machine_; }

  double time_scale() const override { return machine_.platform().time_scale; }
  bool times_native_commands() const override { return false; }  // another device plays home
  void note_native_command() override;                           // a warning, once
  double seconds_to_look() const override;
  HostWork begin_host_work() const override;
  void owe(const HostWork& work) override;
  uint64_t pay(const HostWork& work) override;
  void wait_until(uint64_t instant) override { machine_.clock().sleep_until(instant); }

  bool allocate(int domain, uint64_t bytes) override { return machine_.allocate(domain, bytes); }
  void release(int domain, uint64_t bytes) override { machine_.release(domain, bytes); }
  bool has_room(int domain, uint64_t bytes) const override { return machine_.has_room(domain, bytes); }
  bool has_own_memories() const override { return true; }
  bool has_only_buffers() const override { return true; }
  bool has_exclusive_ports() const override { return true; }

  void add_to_summary(nlohmann::json& summary) const override;
  void report() const override;

  Calibration calibrate(const Configuration& configuration) override;
  std::vector<scheduler::Link> links() override;
  double cache_bytes(const Configuration&) const override { return 0; }
  std::unique_ptr<Devices> make_devices(int64_t host_to_home, Trouble& trouble,
                                        DriverCompilers& compilers) override;
  std::optional<double> told_seconds(int device, const KernelCommand& command, double share) override;

private:
  void stop_time() override { machine_.clock().stop(); }
  void resume_time() override { machine_.clock().resume(); }

  emulation::Machine machine_;
  std::atomic<bool> has_warned_{false};
};

}  // namespace mkmd
