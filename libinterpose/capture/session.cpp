// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/capture/session.hpp"

#include "common/host_clock.hpp"
#include "common/log.hpp"

#include <algorithm>
#include <map>

namespace mkmd {

namespace {

// A driver makes the code for pieces once for all its devices, and drivers make it one after the other.
double seconds_to_build(const std::vector<vendor::Device>& devices, const std::vector<DeviceRates>& rates) {
  std::map<cl_platform_id, double> of_driver;
  for (size_t d = 0; d < std::min(devices.size(), rates.size()); ++d) {
    double& seconds = of_driver[devices[d].platform];
    seconds = std::max(seconds, rates[d].build_seconds);
  }
  double all = 0;
  for (const auto& [platform, seconds] : of_driver)
    all += seconds;
  return all;
}

}  // namespace

Session::Session(const Configuration& of_process, DeviceKind& of_devices, void (*registered)())
    : configuration(of_process), kind(of_devices), trace(of_process), summary(of_process),
      trouble(of_process), compilers(registered),
      code(of_process.settings.devices.empty() ? LogLevel::info : LogLevel::warning, registered,
           [&of_devices](const SubKernels& of, const CodePlace& place) {
             const Hardware::Standstill standstill(of_devices);
             return build_piece_code(of, place);
           }) {}

Session::~Session() = default;

const Calibration& Session::calibration() {
  std::call_once(calibration_.made, [this] {
    calibration_.value = std::make_unique<const Calibration>(kind.calibrate(configuration));
    code.expect(seconds_to_build(configuration.devices, calibration_.value->devices));
  });
  return *calibration_.value;
}

TimeModel& Session::times() {
  std::call_once(times_.made, [this] {
    auto profiles = models::read_models(models::default_models_file(), Whose::ours);
    if (!profiles) {
      log(LogLevel::warning, profiles.status().message() + "; times are estimated without it");
    }
    times_.value = std::make_unique<TimeModel>(
        calibration().devices, profiles ? std::move(*profiles) : std::vector<models::Entry>{});
  });
  return *times_.value;
}

const timing::LearnedFiles* Session::learned_files() {
  const Settings& settings = configuration.settings;
  const bool learns = settings.learn && may_leave_alone() && settings.profile == 0 && settings.verify.empty();
  if (!learns || !configuration.splits()) return nullptr;
  std::call_once(recalled_.files.made, [&] {
    std::string setting = std::to_string(configuration.cores) + " cores";
    for (size_t d = 0; d < configuration.devices.size(); ++d)
      setting += "|" + std::to_string(configuration.domain[d]) + "," + std::to_string(configuration.team[d]);
    if (settings.separate_memory) setting += "|separate";
    if (settings.exact) setting += "|exact";
    recalled_.files.value =
        std::make_unique<const timing::LearnedFiles>(cache_directory(), calibration().devices, setting);
  });
  return recalled_.files.value.get();
}

bool Session::recall(const std::string& content) {
  const timing::LearnedFiles* const files = learned_files();
  if (files == nullptr) return false;
  {
    const Lock lock(recalled_.mutex);
    if (!recalled_.contents.insert(content).second) return false;
  }
  std::optional<timing::LearnedSource> source = files->read(content);
  if (!source) return false;
  if (source->runs % timing::kRunsPerMeasurement == 0) timing::forget_rivals(*source, rival_teams());
  summary.add_known(source->kernels.size());
  times().recall(content, *source, host_seconds());
  const std::lock_guard turn(profitability_turn);
  regret.begin_with(source->left);
  regret.begin_with_saved(source->saved);
  if (source->making > 0) code.expect(source->making);
  return timing::gain_of(*source) > code.seconds();
}

// Other kernels of a source are kept as earlier runs, or other processes, have learned them. A file takes
// less than a millisecond, and whoever exits does not wait for thousands.
void Session::keep_learned() {
  constexpr size_t kMost = 64;
  {
    const Lock lock(recalled_.mutex);
    if (recalled_.contents.empty()) return;
  }
  const timing::LearnedFiles& files = *learned_files();
  std::map<std::string, timing::LearnedSource> sources;
  const double now = host_seconds();
  for (TimeModel::Taught& of : times().taught()) {
    if (!sources.contains(of.content)) {
      if (sources.size() >= kMost) continue;
      sources[of.content] = files.read(of.content).value_or(timing::LearnedSource());
    }
    const std::lock_guard turn(profitability_turn);
    of.learned.history = of.model->history.keep(now);
    timing::LearnedSource& source = sources[of.content];
    source.left = std::min(regret.left(now), timing::kLimits.free_exploring);
    source.saved = std::min(regret.saved(now), code.seconds());
    source.making = code.seconds();
    if (of.was_measured) source.kernels.insert_or_assign(of.name, std::move(of.learned));
  }
  for (auto& [content, source] : sources) {
    ++source.runs;
    files.write(content, source);
  }
}

bool Session::waits_for_code() const {
  const Settings& settings = configuration.settings;
  return settings.wait_for_code || !may_leave_alone() || settings.profile > 0 || !settings.verify.empty();
}

const scheduler::Memory* Session::shared_memory(int domain) {
  for (const scheduler::Memory& memory : shared_memories()) {
    if (memory.mem == domain) return &memory;
  }
  return nullptr;
}

const scheduler::Policy* Session::policy() {
  std::call_once(policy_.made, [this] {
    auto made = scheduler::make_policy(configuration.settings.policy);
    if (made) {
      policy_.value = std::move(*made);
      return;
    }
    log(LogLevel::warning,
        "MKMD_POLICY: " + made.status().message() + "; kernels run whole on the home device");
  });
  return policy_.value.get();
}

}  // namespace mkmd
