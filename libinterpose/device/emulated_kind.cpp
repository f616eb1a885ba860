// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/device/emulated_kind.hpp"

#include "common/log.hpp"
#include "libinterpose/device/emulated_demands.hpp"
#include "libinterpose/device/emulated_devices.hpp"
#include "libinterpose/device/emulated_rates.hpp"
#include "libinterpose/emulation/report.hpp"

#include <nlohmann/json.hpp>

#include <limits>

namespace mkmd {

void EmulatedKind::note_native_command() {
  if (has_warned_.exchange(true)) return;
  log(LogLevel::warning,
      "some commands cannot be captured and run at home at its real speed: the emulated time excludes them");
}

// Planning takes emulated time, and has no other limit.
double EmulatedKind::seconds_to_look() const {
  return std::numeric_limits<double>::infinity();
}

Hardware::HostWork EmulatedKind::begin_host_work() const {
  const emulation::HostWork work(machine_.clock());
  return {work.began(), work.used_core()};
}

void EmulatedKind::owe(const HostWork& work) {
  machine_.host().owe({machine_.clock(), work.began, work.used_core});
}

uint64_t EmulatedKind::pay(const HostWork& work) {
  return machine_.host().pay({machine_.clock(), work.began, work.used_core});
}

void EmulatedKind::add_to_summary(nlohmann::json& summary) const {
  summary["emulation"] = emulation::summary_of(machine_);
}

void EmulatedKind::report() const {
  emulation::report(machine_);
}

Calibration EmulatedKind::calibrate(const Configuration&) {
  return emulated_rates(machine_);
}

std::vector<scheduler::Link> EmulatedKind::links() {
  return emulated_links(machine_);
}

std::unique_ptr<Devices> EmulatedKind::make_devices(int64_t host_to_home, Trouble& trouble,
                                                    DriverCompilers& compilers) {
  return std::make_unique<EmulatedDevices>(machine_, host_to_home, trouble, compilers);
}

std::optional<double> EmulatedKind::told_seconds(int device, const KernelCommand& command, double share) {
  constexpr int kRuns = 9;  // their mean: an emulated time is even to both sides of its own
  const emulation::Demand demand = demand_of_piece(machine_, device, command, share, true);
  double seconds = 0;
  for (int run = 0; run < kRuns; ++run)
    seconds += machine_.sample_working(demand) / kRuns;
  return seconds;
}

}  // namespace mkmd
