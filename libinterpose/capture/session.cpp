// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/capture/session.hpp"

#include "common/log.hpp"
#include "libinterpose/timing/emulated_rates.hpp"

namespace mkmd {

Session::Session(const Configuration& of_process, void (*registered)())
    : configuration(of_process), drivers_registered(registered), trace(of_process), summary(of_process),
      trouble(of_process),
      code(of_process.settings.devices.empty() ? LogLevel::info : LogLevel::warning, registered) {}

Session::~Session() = default;

const Calibration& Session::calibration() {
  std::call_once(calibrated_, [this] {
    if (configuration.machine != nullptr) {
      calibration_ = std::make_unique<const Calibration>(emulated_rates(*configuration.machine));
      return;
    }
    std::vector<vendor::Device> devices;
    for (size_t lane = 0; lane < configuration.lane_count(); ++lane)
      devices.push_back(configuration.lane_device(lane));
    calibration_ = std::make_unique<const Calibration>(calibrate(devices, configuration.domain));
  });
  return *calibration_;
}

TimeModel& Session::times() {
  std::call_once(modelled_, [this] {
    auto profiles = models::read_models(models::default_models_file(), Whose::ours);
    if (!profiles) {
      log(LogLevel::warning, profiles.status().message() + "; times are estimated without it");
    }
    times_ = std::make_unique<TimeModel>(calibration().devices,
                                         profiles ? std::move(*profiles) : std::vector<models::Entry>{});
  });
  return *times_;
}

bool Session::waits_for_code() const {
  const Settings& settings = configuration.settings;
  return settings.wait_for_code || !has_default_policy() || configuration.machine != nullptr ||
         settings.profile > 0 || !settings.verify.empty();
}

const scheduler::Memory* Session::shared_memory(int domain) {
  for (const scheduler::Memory& memory : shared_memories()) {
    if (memory.mem == domain) return &memory;
  }
  return nullptr;
}

const scheduler::Policy* Session::policy() {
  std::call_once(chosen_, [this] {
    auto made = scheduler::make_policy(configuration.settings.policy);
    if (made) {
      policy_ = std::move(*made);
      return;
    }
    log(LogLevel::warning,
        "MKMD_POLICY: " + made.status().message() + "; kernels run whole on the home device");
  });
  return policy_.get();
}

}  // namespace mkmd
