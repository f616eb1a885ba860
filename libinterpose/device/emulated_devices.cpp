// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/device/emulated_devices.hpp"

#include "libinterpose/emulation/machine.hpp"

#include <algorithm>

namespace mkmd {

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

cl_int EmulatedDevices::run(Action& action, cl_int) {
  if (action.inherited < 0) {  // bytes were lost with a device that failed
    action.started = action.ended = std::max(action.ready_at, now());
    return action.inherited;
  }
  // Copies inside the program's memory and the like take no emulated time: what they really take delays
  // others, who have time to make up for it.
  if (!action.demand) {
    machine_.clock().sleep_until(action.ready_at);  // the plan it is from may have to be paid for still
    action.started = action.ended = action.ready_at > 0 ? action.ready_at : now();
    return action.work({}).status;
  }
  cl_int status = CL_SUCCESS;
  const emulation::Span span =
      machine_.run(*action.demand, action.ready_at, [&] { status = action.work({}).status; });
  action.started = span.working;
  action.ended = span.end;
  action.device_lost = span.failed;
  action.begun = span.begun;
  return span.failed ? CL_OUT_OF_RESOURCES : status;  // as drivers call it when a device is gone
}

}  // namespace mkmd
