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
    : times_(session.times()), turn_(session.profitability_turn),
      profitability_(profitability_setting(session), session.regret, session.rival_teams()) {}

KernelModel& Estimates::model_of(Kernel& kernel) const {
  const Lock lock(kernel.mutex);
  if (kernel.model == nullptr) {
    kernel.model = times_.of_kernel(kernel.name, content_of(kernel));
  }
  return *kernel.model;
}

bool was_measured_elsewhere(const Session& session, const TimeModel& times, const KernelModel& model,
                            int device) {
  const Configuration& p = session.configuration;
  const bool is_homes = device == p.home_index() || p.devices[device].parent == p.home.id;
  return !is_homes && times.knows(model, device);
}

std::string content_of(const SubKernels& code) {
  std::string all;
  for (const std::string& source : code.module.sources)
    all += source;
  return hex(hash_of(all));
}

std::string content_of(const Kernel& kernel) {
  return content_of(*kernel.sub_kernels);
}

}  // namespace mkmd
