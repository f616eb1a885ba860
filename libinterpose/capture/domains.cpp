// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/capture/domains.hpp"

#include "libinterpose/commands/submit.hpp"
#include "libinterpose/memory/storage.hpp"

#include <algorithm>

namespace mkmd {

Status Domains::make_lanes(Executor& executor) {
  if (Status status = make_contexts(); !status) return status;
  if (Status status = make_compute_lanes(executor); !status) return status;
  if (Status status = make_transfer_lanes(executor); !status) return status;
  if (hardware_.has_exclusive_ports()) executor.lanes().make_ports_exclusive();
  // Of no context: what waits for its actions waits on the host. Drivers end, run, or never start what waits
  // for a command that has failed.
  executor.lanes().set_program(std::make_unique<Lane>(
      Lane::Kind::asynchronous, -1, 0, nullptr,
      vendor::OwnQueue(executor.lanes().home().native_context, configuration_.home.id)));
  return {};
}

void Domains::prepare(Executor& executor) {
  std::call_once(prepared_, [&] {
    read_clocks(executor);
    executor.use(session_.kind.make_devices(executor.lanes().home().clock_offset, session_.trouble,
                                            session_.compilers));
  });
}

// Parts of home have its clock.
void Domains::read_clocks(Executor& executor) const {
  Lane& home = executor.lanes().home();
  const ClockOffset clock = device_clock_offset(home.queue);
  home.clock_offset = clock.between;
  for (Lane* lane : executor.lanes().compute()) {
    const vendor::Device& device = configuration_.lane_device(static_cast<size_t>(lane->device));
    const bool is_homes = lane == &home || device.parent == configuration_.home.id;
    const ClockOffset offset = is_homes ? clock : device_clock_offset(lane->queue);
    lane->clock_offset = offset.may_equal(clock) ? clock.between : offset.between;  // mostly it is one clock
  }
  executor.lanes().repair().clock_offset = home.clock_offset;
}

Status Domains::make_contexts() {
  const Configuration& p = configuration_;
  list_.resize(p.domain_count);
  list_[0].context = context_.native.get();
  for (size_t d = 0; d < p.devices.size(); ++d)
    list_[p.domain[d]].devices.push_back(static_cast<int>(d));
  for (size_t i = 1; i < list_.size(); ++i) {
    Domain& domain = list_[i];
    std::vector<cl_device_id> ids;
    for (const int d : domain.devices) {  // two emulated devices may be one real one
      if (std::find(ids.begin(), ids.end(), p.devices[d].id) == ids.end()) ids.push_back(p.devices[d].id);
    }
    const vendor::Device& first = p.devices[domain.devices.front()];
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                reinterpret_cast<cl_context_properties>(first.platform), 0};
    cl_int error = CL_SUCCESS;
    domain.owned = vendor::Owned<cl_context>(vendor::table(first.id).clCreateContext(
        properties, static_cast<cl_uint>(ids.size()), ids.data(), nullptr, nullptr, &error));
    if (!domain.owned) {
      return Status::internal("no context on device " + first.name + " (" + std::to_string(error) + ")");
    }
    domain.context = domain.owned.get();
  }
  return {};
}

Status Domains::make_compute_lanes(Executor& executor) {
  const Configuration& p = configuration_;
  for (size_t d = 0; d < p.lane_count(); ++d) {
    const vendor::Device& device = p.lane_device(d);
    const cl_context context = list_[p.lane_domain(d)].context;
    vendor::OwnQueue queue(context, device.id);
    if (!queue) return Status::internal("no command-queue on device " + device.name);
    // An emulated device is waited for until its time has passed, whatever the real one does.
    const bool is_helped = queue.computes_in_waiter() && hardware_.times_native_commands();
    const auto kind = is_helped            ? Lane::Kind::helped
                      : device.synchronous ? Lane::Kind::threaded
                                           : Lane::Kind::asynchronous;
    executor.lanes().add(
        std::make_unique<Lane>(kind, static_cast<int>(d), p.lane_domain(d), context, std::move(queue)));
  }
  Lane& home = *executor.lanes().compute()[p.home_index()];
  executor.lanes().set_home(home);
  code_places_ =
      place_code(p, executor.lanes().compute(), p.home_is_whole() ? &home : nullptr, number_.value());
  return {};
}

std::vector<int> Domains::devices_without(const ImageShape& image) const {
  std::vector<int> devices;
  for (size_t i = 1; i < list_.size(); ++i) {
    for (const int d : list_[i].devices) {
      if (!can_have_image(list_[i].context, configuration_.devices[d].id, image)) devices.push_back(d);
    }
  }
  return devices;
}

uint32_t Domains::of_home(const Memory& root) const {
  if (root.visible_bytes.begin == nullptr) return 0;
  std::call_once(asked_, [this] { on_host_bytes_ = on_host_bytes(); });
  return on_host_bytes_;
}

uint32_t Domains::on_host_bytes() const {
  if (configuration_.settings.separate_memory || hardware_.has_own_memories()) return 0;
  uint32_t domains = 0;
  for (size_t i = 1; i < list_.size(); ++i) {
    if (works_in_host_bytes(list_[i].context)) domains |= 1u << i;
  }
  return domains;
}

// None where there is one memory.
Status Domains::make_transfer_lanes(Executor& executor) {
  for (size_t i = 0; i < list_.size() && separate(); ++i) {
    // PoCL copies on the workers of the queue's device, so that a copy waits for a kernel on the same
    // sub-device. On the whole device any idle worker takes it: that of the device which waits for the bytes.
    const vendor::Device& first = configuration_.devices[list_[i].devices.front()];
    vendor::OwnQueue queue;
    if (first.parent != nullptr) queue = vendor::OwnQueue(list_[i].context, first.parent);
    if (!queue) queue = vendor::OwnQueue(list_[i].context, first.id);
    if (!queue) return Status::internal("no command-queue for transfers");
    list_[i].transfer = &executor.lanes().add(std::make_unique<Lane>(
        Lane::Kind::threaded, -1, static_cast<int>(i), list_[i].context, std::move(queue)));
  }
  return {};
}

Status Domains::make_repair_lane(Executor& executor) const {
  const Configuration& p = configuration_;
  const Lane& home = executor.lanes().home();
  vendor::OwnQueue queue(home.native_context, p.home.id);
  if (!queue) return Status::internal("no command-queue for repairs");
  auto repair =
      std::make_unique<Lane>(Lane::Kind::threaded, p.home_index(), 0, home.native_context, std::move(queue));
  // Drivers that cannot have many queues run one program have one of their own here.
  repair->code.repair_options =
      choose_code(*repair, p.home.platform, "repair" + std::to_string(number_.value()));
  executor.lanes().set_repair(std::move(repair));
  return {};
}

bool shares_code_generator(const vendor::Device& a, const vendor::Device& b) {
  return a.platform == b.platform && a.device_name == b.device_name;
}

}  // namespace mkmd
