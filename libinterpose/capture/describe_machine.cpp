// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/capture/describe_machine.hpp"

namespace mkmd {

namespace {

scheduler::Device describe_device(const vendor::Device& of, int domain, const DeviceRates& rates) {
  scheduler::Device device;
  device.name = of.name;
  device.device_class = (of.type & CL_DEVICE_TYPE_GPU) != 0   ? scheduler::DeviceClass::gpu
                        : (of.type & CL_DEVICE_TYPE_CPU) != 0 ? scheduler::DeviceClass::cpu
                                                              : scheduler::DeviceClass::accelerator;
  device.mem = domain;
  device.launch = rates.launch_seconds;
  return device;
}

// Whose code changes home's memory with the instructions of home's own. Of two drivers, or of devices of
// other kinds, we do not know it.
std::vector<bool> atomic_at_home(const Configuration& p) {
  const auto is = [&p](size_t lane) {
    const vendor::Device& device = p.lane_device(lane);
    return p.lane_domain(lane) == 0 && (device.type & CL_DEVICE_TYPE_CPU) != 0 &&
           vendor::whole_of(device).id == vendor::whole_of(p.home).id;
  };
  std::vector<bool> result;
  for (size_t lane = 0; lane < p.lane_count(); ++lane)
    result.push_back(is(lane));
  return result;
}

}  // namespace

planning::Machine describe_machine(Session& session, const TimeModel& times, bool can_fail) {
  const Configuration& p = session.configuration;
  planning::Machine machine;
  for (size_t d = 0; d < p.devices.size(); ++d)
    machine.platform.devices.push_back(
        describe_device(p.devices[d], p.domain[d], times.rates(static_cast<int>(d))));
  const DeviceRates& home = times.rates(p.home_index());
  machine.platform.bw = home.copy_bytes_per_second;
  machine.platform.lat = home.copy_seconds;
  machine.platform.links = session.kind.links();
  if (machine.platform.links.empty()) {
    machine.copy_seconds = [&times](int from, int to, double bytes) {
      return times.copy_seconds(from, to, bytes);
    };
  }
  machine.domains = p.domain_count;
  machine.home = p.home_index();
  machine.home_is_whole = p.home_is_whole();
  machine.home_is_sum = p.home_is_sum() && p.domain_count == 1;
  machine.can_fail = can_fail;
  machine.atomic_at_home = atomic_at_home(p);
  machine.policy = session.policy();
  machine.policy_name = p.settings.policy;
  machine.regardless_of_gain = machine.policy != nullptr && machine.policy->regardless_of_gain();
  return machine;
}

void ask_about_memory(planning::Machine& machine, Session& session) {
  machine.platform.memories = session.shared_memories();
  machine.cache = session.kind.cache_bytes(session.configuration);
}

}  // namespace mkmd
