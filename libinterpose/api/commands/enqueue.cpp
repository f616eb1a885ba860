// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/api/commands/enqueue.hpp"

#include "libinterpose/process.hpp"

#include <algorithm>

namespace mkmd::api {

namespace {

// Whether each of them is an event of this context. The vendor judges other lists.
bool names_events_of(const Context& context, WaitList wait_list) {
  // The specification calls a list of no events that is not NULL an error, but drivers may take it.
  if ((wait_list.count == 0) != (wait_list.events == nullptr)) return false;
  for (cl_uint i = 0; i < wait_list.count; ++i) {
    const Event* event = object_cast<Event>(wait_list.events[i]);
    if (event == nullptr || event->context.get() != &context) return false;
  }
  return true;
}

// An event of the vendor's that is complete, for one of ours that it does not know.
vendor::Owned<cl_event> complete_event(const Context& context) {
  const cl_icd_dispatch& calls = vendor::table(context.native.get());
  cl_int error = CL_SUCCESS;
  vendor::Owned<cl_event> event(calls.clCreateUserEvent(context.native.get(), &error));
  if (event) calls.clSetUserEventStatus(event.get(), CL_COMPLETE);
  return event;
}

}  // namespace

std::vector<Event*> events_of(WaitList wait_list) {
  std::vector<Event*> events;
  for (cl_uint i = 0; i < wait_list.count; ++i)
    events.push_back(object_cast<Event>(wait_list.events[i]));
  return events;
}

bool may_capture(const Queue& queue, WaitList wait_list) {
  const Context& context = *queue.context;
  if (!names_events_of(context, wait_list)) return false;
  if (!context.runtime || context.unset_user_events.load(std::memory_order_acquire) > 0) return false;
  if (!queue.device->is_virtual) return false;  // a sub-device the program made runs what it is given
  for (cl_uint i = 0; i < wait_list.count; ++i) {
    const Event* event = object_cast<Event>(wait_list.events[i]);
    if (!event->native) {
      if (event->status.load(std::memory_order_acquire) < 0) return false;
      continue;
    }
    // The vendor knows what becomes of a command behind a failed event.
    if (vendor::execution_status(event->native.get()) < 0) return false;
  }
  return true;
}

bool has_untimed_commands() {
  return !process().session->kind.times_native_commands() && process().profiler == nullptr;
}

void note_native_command() {
  if (process().profiler == nullptr) process().session->kind.note_native_command();
}

cl_int NativeWaits::wait_for_others(const Context& context, WaitList wait_list) {
  if (wait_list.count > 0 && wait_list.events == nullptr) return CL_INVALID_EVENT_WAIT_LIST;
  for (cl_uint i = 0; i < wait_list.count; ++i) {
    Event* const event = object_cast<Event>(wait_list.events[i]);
    if (event == nullptr && wait_list.events[i] != nullptr) return CL_INVALID_EVENT_WAIT_LIST;
    if (event == nullptr || event->native || event->context.get() == &context) continue;
    runtime_of(*event->context)->wait(*event);
    stand_ins_.push_back(complete_event(*event->context));
  }
  return CL_SUCCESS;
}

cl_int NativeWaits::add(const Context& context, WaitList wait_list) {
  auto stand_in = stand_ins_.begin();
  for (cl_uint i = 0; i < wait_list.count; ++i) {
    Event* const event = object_cast<Event>(wait_list.events[i]);
    if (event == nullptr) {
      events_.push_back(nullptr);
    } else if (event->native) {
      event->waited_for.store(true, std::memory_order_relaxed);
      events_.push_back(event->native.get());
    } else if (event->status.load(std::memory_order_acquire) < 0) {
      return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    } else if (event->context.get() != &context) {
      events_.push_back((stand_in++)->get());
    }
  }
  return CL_SUCCESS;
}

bool NativeWaits::any_failed() const {
  return std::ranges::any_of(
      events_, [](cl_event event) { return event != nullptr && vendor::execution_status(event) < 0; });
}

}  // namespace mkmd::api
