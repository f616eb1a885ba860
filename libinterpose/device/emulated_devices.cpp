// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/device/emulated_devices.hpp"

#include "libinterpose/device/emulated_demands.hpp"
#include "libinterpose/memory/storage.hpp"

#include <algorithm>

namespace mkmd {

namespace {

bool in_process_memory(cl_command_queue queue) {
  cl_device_id device = nullptr;
  vendor::table(queue).clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr);
  return device != nullptr && vendor::is_host_cpu(device);
}

}  // namespace

cl_ulong EmulatedDevices::now() const {
  return machine_.clock().now();
}

bool EmulatedDevices::has_failed(int device) const {
  return machine_.failed(device) || OpenClDevices::has_failed(device);
}

bool EmulatedDevices::is_lost(int domain) const {
  return machine_.lost(domain);
}

void EmulatedDevices::note_again(size_t commands) {
  machine_.count_again(commands);
}

cl_int EmulatedDevices::run(Action& action, cl_int refused) {
  if (refused < 0) {
    action.times.started = action.times.ended = std::max(action.times.ready, now());
    return refused;
  }
  const std::optional<emulation::Demand> demand = demand_of(machine_, action);
  // An action without a demand takes no emulated time. Its real time delays other actions, which can make up
  // for it.
  if (!demand) {
    machine_.clock().sleep_until(action.times.ready);  // planning takes emulated time
    action.times.started = action.times.ended = action.times.ready > 0 ? action.times.ready : now();
    const Action::Outcome outcome = action.work({});
    action.driver.begun = outcome.begun;
    return outcome.status;
  }
  Action::Outcome outcome;
  const emulation::Span span = machine_.run(*demand, action.times.ready, [&] { outcome = action.work({}); });
  action.times.started = span.working;
  action.times.ended = span.end;
  action.loss.device_lost = span.failed;
  action.driver.begun = span.begun || outcome.begun;
  return span.failed ? CL_OUT_OF_RESOURCES : outcome.status;  // drivers' error for a lost device
}

// The first call for a buffer waits for the device. The emulated clock stands still meanwhile.
char* EmulatedDevices::host_bytes(Storage& storage, const Lane& lane, cl_mem memory) {
  if (char* const visible = OpenClDevices::host_bytes(storage, lane, memory)) return visible;
  // The driver is called with the mutex held. PoCL allocates a buffer's memory when it is first mapped, and
  // two threads that map it at once may get different addresses.
  const Lock lock(storage.mapped_mutex);
  char*& bytes = storage.mapped[lane.domain];
  const cl_command_queue queue = lane.queue.get();
  if (bytes != nullptr || memory == nullptr || !in_process_memory(queue)) return bytes;
  const emulation::VirtualClock::Stop stop(machine_.clock());
  const auto& table = vendor::table(queue);
  size_t size = 0;
  table.clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof size, &size, nullptr);
  cl_int status = CL_SUCCESS;
  void* mapped = table.clEnqueueMapBuffer(queue, memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, size, 0,
                                          nullptr, nullptr, &status);
  if (mapped == nullptr) return nullptr;
  table.clEnqueueUnmapMemObject(queue, memory, mapped, 0, nullptr, nullptr);
  table.clFinish(queue);
  bytes = static_cast<char*>(mapped);
  return bytes;
}

}  // namespace mkmd
