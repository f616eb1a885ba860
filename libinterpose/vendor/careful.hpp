// SPDX-License-Identifier: Apache-2.0
// Calls of drivers that are tried again when they fail, and then in another way; and waits that end when the
// device is lost. Thread-safe.
#pragma once

#include "libinterpose/vendor/own_queue.hpp"

#include <algorithm>
#include <optional>

namespace mkmd::vendor {

// Calls until it returns CL_SUCCESS, three times at most. The last status.
template <typename Call>
cl_int try_again(Call call) {
  constexpr int kTries = 3;
  cl_int status = CL_SUCCESS;
  for (int i = 0; i < kTries; ++i) {
    status = call();
    if (status == CL_SUCCESS) break;
  }
  return status;
}

// Whether commands are executed by the thread that makes or awaits them. Somebody has to wait for these.
bool executes_in_caller(const Platform& platform, const std::string& device_name);

// Of these: commands begin by themselves, and the thread that waits for them is one of those that compute.
bool computes_in_waiter(const Platform& platform);

// Whether the device may be gone while a driver is waited for. It may unless it is a CPU of the host or a
// simulator in this process. Drivers may then wait for ever (PoCL-Remote does). So our waits for such
// devices are made of short ones. Between these the driver is asked whether the device is there.
bool may_be_lost(cl_device_id device);
// The driver says that it can be used (CL_DEVICE_AVAILABLE), and it is not silent (silence.hpp).
bool is_available(cl_device_id device);

// Waits until everything on the queue is over. An error: it is not known.
cl_int finish_carefully(const OwnQueue& queue);

// Bytes of a buffer, once they can be used. Null: `status` says why not.
void* map(const OwnQueue& queue, cl_mem memory, cl_map_flags flags, size_t offset, size_t size,
          cl_int& status);

// The final status of a command that was flushed, or is in a queue of a driver that needs no flush. Null: it
// is not known, and the command may still be under way.
std::optional<cl_int> await_event(cl_event event, const OwnQueue& queue);

// Its execution status. Null if the driver does not say.
std::optional<cl_int> status_of(cl_event event);

// The final status of a command that is known to be over.
cl_int end_of(cl_event event);

// Enqueues a command by `call`, with an event of its own if its device may be lost. Then it is over, and this
// is what became of it: a queue that is finished does not say that. Elsewhere the queue is to be finished.
template <typename Call>
cl_int enqueue_carefully(const OwnQueue& queue, Call call) {
  if (!queue.may_be_lost()) return call(nullptr);
  cl_event event = nullptr;
  const cl_int status = call(&event);
  if (status != CL_SUCCESS) return status;
  const Owned<cl_event> end(event);
  return std::min(await_event(event, queue).value_or(CL_DEVICE_NOT_AVAILABLE), CL_SUCCESS);
}

}  // namespace mkmd::vendor
