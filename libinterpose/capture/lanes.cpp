// SPDX-License-Identifier: Apache-2.0
// The part of Runtime that makes its contexts and lanes.
#include "libinterpose/capture/runtime.hpp"

#include "libinterpose/commands/submit.hpp"
#include "libinterpose/device/emulated_devices.hpp"
#include "libinterpose/device/opencl_devices.hpp"
#include "libinterpose/emulation/machine.hpp"

#include <algorithm>

namespace mkmd {

namespace {

vendor::Owned<cl_command_queue> make_queue(cl_context context, cl_device_id device) {
  cl_int error = CL_SUCCESS;
  return vendor::Owned<cl_command_queue>(
      vendor::table(context).clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error));
}

}  // namespace

Status Runtime::start() {
  (void)session_.compilers.may_be_gone();  // remembers the user
  for (const auto make :
       {&Runtime::make_domains, &Runtime::make_compute_lanes, &Runtime::make_transfer_lanes}) {
    if (Status status = (this->*make)(); !status) return status;
  }
  read_clocks();
  Lane& home = executor_.home();
  // Of no context: what waits for its actions waits on the host. Drivers end, run, or never start what waits
  // for a command that has failed.
  executor_.set_program(std::make_unique<Lane>(Lane::Kind::asynchronous, -1, 0, nullptr,
                                               make_queue(home.native_context, configuration_.home.id)));
  if (emulation::Machine* const machine = configuration_.machine) {
    if (machine->platform().can_fail()) journal_ = std::make_unique<Journal>();
    executor_.use(
        std::make_unique<EmulatedDevices>(*machine, clock_offset_, session_.trouble, session_.compilers));
    return {};
  }
  executor_.use(std::make_unique<OpenClDevices>(clock_offset_, session_.trouble, session_.compilers));
  return make_repair_lane();
}

Status Runtime::make_domains() {
  const Configuration& p = configuration_;
  domains_.resize(p.domain_count);
  domains_[0].context = context_.native.get();
  for (size_t d = 0; d < p.devices.size(); ++d)
    domains_[p.domain[d]].devices.push_back(static_cast<int>(d));
  for (size_t i = 1; i < domains_.size(); ++i) {
    Domain& domain = domains_[i];
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

Status Runtime::make_compute_lanes() {
  const Configuration& p = configuration_;
  for (size_t d = 0; d < p.lane_count(); ++d) {
    const vendor::Device& device = p.lane_device(d);
    const cl_context context = domains_[p.lane_domain(d)].context;
    auto queue = make_queue(context, device.id);
    if (!queue) return Status::internal("no command-queue on device " + device.name);
    const auto kind = device.synchronous ? Lane::Kind::threaded : Lane::Kind::asynchronous;
    executor_.add(
        std::make_unique<Lane>(kind, static_cast<int>(d), p.lane_domain(d), context, std::move(queue)));
  }
  Lane& home = *executor_.compute()[p.home_index()];
  executor_.set_home(home);
  code_places_ = place_code(p, executor_.compute(), p.home_is_whole() ? &home : nullptr, number_.value());
  return {};
}

// None where there is one memory.
Status Runtime::make_transfer_lanes() {
  for (size_t i = 0; i < domains_.size() && domains_.size() > 1; ++i) {
    // PoCL copies on the workers of the queue's device, so that a copy waits for a kernel on the same
    // sub-device. On the whole device any idle worker takes it: that of the device which waits for the bytes.
    const vendor::Device& first = configuration_.devices[domains_[i].devices.front()];
    vendor::Owned<cl_command_queue> queue;
    if (first.parent != nullptr) queue = make_queue(domains_[i].context, first.parent);
    if (!queue) queue = make_queue(domains_[i].context, first.id);
    if (!queue) return Status::internal("no command-queue for transfers");
    domains_[i].transfer = &executor_.add(std::make_unique<Lane>(
        Lane::Kind::threaded, -1, static_cast<int>(i), domains_[i].context, std::move(queue)));
  }
  return {};
}

void Runtime::read_clocks() {
  Lane& home = executor_.home();
  const ClockOffset clock = device_clock_offset(home.queue.get());
  clock_offset_ = clock.between;
  for (Lane* lane : executor_.compute()) {
    const ClockOffset offset = device_clock_offset(lane->queue.get());
    lane->clock_offset = offset.may_equal(clock) ? clock.between : offset.between;  // mostly it is one clock
  }
  home.clock_offset = clock.between;
}

Status Runtime::make_repair_lane() {
  const Configuration& p = configuration_;
  const Lane& home = executor_.home();
  auto queue = make_queue(home.native_context, p.home.id);
  if (!queue) return Status::internal("no command-queue for repairs");
  auto repair =
      std::make_unique<Lane>(Lane::Kind::threaded, p.home_index(), 0, home.native_context, std::move(queue));
  // Drivers that cannot have many queues run one program have one of their own here.
  repair->repair_options = " -D MKMD_COPY=repair" + std::to_string(number_.value());
  repair->clock_offset = clock_offset_;
  executor_.set_repair(std::move(repair));
  return {};
}

}  // namespace mkmd
