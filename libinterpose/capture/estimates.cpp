// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/capture/estimates.hpp"

#include "common/hash.hpp"
#include "compiler/module_file.hpp"
#include "scheduler/policy.hpp"

namespace mkmd {

namespace {

// What the answers to "is it worth it?" depend on.
timing::Setting profitability_setting(Session& session) {
  const Configuration& p = session.configuration;
  const scheduler::Policy* const policy = session.policy();
  timing::Setting setting;
  setting.regardless_of_gain = policy != nullptr && policy->regardless_of_gain();
  setting.may_leave_alone = session.may_leave_alone();
  setting.home_is_sum = p.home_is_sum();
  setting.devices = p.devices.size();
  return setting;
}

}  // namespace

Estimates::Estimates(Session& session)
    : configuration_(session.configuration), times_(session.times()), turn_(session.profitability_turn),
      profitability_(profitability_setting(session), session.regret, session.rival_teams()) {}

KernelModel& Estimates::model_of(Kernel& kernel) const {
  const Lock lock(kernel.mutex);
  if (kernel.model == nullptr) {
    kernel.model = times_.of_kernel(kernel.name, content_of(kernel));
  }
  return *kernel.model;
}

timing::Rivalry::Experience Estimates::experience_of(const KernelModel& model) const {
  timing::Rivalry::Experience experience;
  const timing::Rivalry& rivalry = without_turn().rivalry();
  if (!rivalry.exists()) return experience;
  for (int d = 0; d < static_cast<int>(configuration_.devices.size()); ++d) {
    experience.samples.push_back(times_.samples(model, d));
    experience.first_has_run |= rivalry.team_of(d) == 1 && times_.has_run(model, d);
  }
  experience.first_has_run |= times_.has_run(model, configuration_.home_index());
  return experience;
}

void Estimates::note_gain(KernelModel& model, const std::vector<double>& seconds, double at_home) const {
  if (!times_.knows(model, configuration_.home_index())) return;
  double launches_per_second = 0;
  for (size_t d = 0; d < seconds.size(); ++d) {
    if (seconds[d] >= scheduler::kNever) continue;
    if (!times_.knows(model, static_cast<int>(d))) return;
    launches_per_second += 1 / seconds[d];
  }
  const double gain = launches_per_second > 0 ? at_home - 1 / launches_per_second : 0;
  if (gain > 0) model.gain += gain;
}

// Rivals take turns, and parts of home are compared with the whole of it in other ways.
WholeLaunch::WholeLaunch(const Session& session, const Estimates& estimates, const KernelModel& model,
                         const LaunchCost& cost)
    : configuration_(session.configuration), times_(estimates.times()), model_(model), cost_(cost),
      compares_(!configuration_.home_is_whole() && !estimates.without_turn().rivalry().exists()),
      at_home_(seconds(configuration_.home_index())) {}

double WholeLaunch::seconds(int device) const {
  const std::optional<double> measured = compares_ ? model_.whole.seconds(cost_.shape, device) : std::nullopt;
  return measured ? times_.rates(device).launch_seconds + *measured : times_.seconds(model_, cost_, device);
}

void WholeLaunch::may_run_on(int device) {
  if (configuration_.is_of_home(device) || !times_.knows(model_, device)) return;
  if (const double taken = seconds(device); taken < elsewhere_) {
    elsewhere_ = taken;
    device_ = device;
  }
}

timing::Launch WholeLaunch::predicted(double first_device) const {
  timing::Launch launch{first_device, times_.rates(0).launch_seconds, at_home_, elsewhere_};
  const int best = elsewhere_ < at_home_ ? device_ : configuration_.home_index();
  if (compares_ && device_ >= 0) launch.best_was_measured = model_.whole.knows(cost_.shape, best);
  return launch;
}

std::string content_of(const SubKernels& code) {
  std::string all;
  for (const std::string& source : code.module.sources)
    all += source;
  return hex(hash_of(all));
}

std::string content_of(const Kernel& kernel) {
  return content_of(*kernel.sub_kernels());
}

}  // namespace mkmd
