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
  if (action.loss.inherited < 0) {  // bytes were lost with a device that failed
    action.times.started = action.times.ended = std::max(action.times.ready, now());
    return action.loss.inherited;
  }
  // Copies inside the program's memory and the like take no emulated time: what they really take delays
  // others, who have time to make up for it.
  if (!action.demand) {
    machine_.clock().sleep_until(action.times.ready);  // the plan it is from may have to be paid for still
    action.times.started = action.times.ended = action.times.ready > 0 ? action.times.ready : now();
    return action.work({}).status;
  }
  cl_int status = CL_SUCCESS;
  const emulation::Span span =
      machine_.run(*action.demand, action.times.ready, [&] { status = action.work({}).status; });
  action.times.started = span.working;
  action.times.ended = span.end;
  action.loss.device_lost = span.failed;
  action.driver.begun = span.begun;
  return span.failed ? CL_OUT_OF_RESOURCES : status;  // as drivers call it when a device is gone
}

}  // namespace mkmd
