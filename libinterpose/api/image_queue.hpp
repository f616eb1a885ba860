// SPDX-License-Identifier: Apache-2.0
// PoCL (3.1 and later) ends the process when an image is read, written, copied, filled or mapped through a
// queue of a sub-device (an assertion: it compares the queue's device with the context's, which are whole
// devices). Where the home is a part of a device, such commands go to a queue of the whole device, ordered
// with the home's own.
#pragma once

#include "libinterpose/api/enqueue.hpp"

#include <vector>

namespace mkmd::api {

// The queue of the whole device, or null where the home's own will do.
cl_command_queue whole_device_queue(Queue& queue);

// Enqueues with `call(native call)` on the queue image commands have to take.
template <typename Call>
cl_int on_image_queue(Queue& queue, const NativeCall& n, Call&& call) {
  const cl_command_queue whole = whole_device_queue(queue);
  if (whole == nullptr) return call(n);
  const cl_icd_dispatch& calls = vendor::table(whole);
  // Everything before it in the program's queue comes first …
  cl_event marker = nullptr;
  if (const cl_int error = calls.clEnqueueMarkerWithWaitList(n.queue, 0, nullptr, &marker);
      error != CL_SUCCESS) {
    return error;
  }
  const vendor::Owned<cl_event> owned_marker(marker);
  std::vector<cl_event> waits(n.waits, n.waits + n.wait_count);
  waits.push_back(marker);
  cl_event done = nullptr;
  const NativeCall there{whole, static_cast<cl_uint>(waits.size()), waits.data(), &done};
  if (const cl_int error = call(there); error != CL_SUCCESS) return error;
  calls.clFlush(whole);
  // … and it before everything after.
  const cl_int error = calls.clEnqueueBarrierWithWaitList(n.queue, 1, &done, nullptr);
  if (n.event != nullptr && error == CL_SUCCESS) {
    *n.event = done;
  } else {
    calls.clReleaseEvent(done);
  }
  return error;
}

}  // namespace mkmd::api
