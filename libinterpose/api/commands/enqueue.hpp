// SPDX-License-Identifier: Apache-2.0
// The one way a command reaches the vendor's queue of the home device. Wait lists are translated, and
// earlier captured work is finished. The bytes that the command touches are brought home, and the program's
// event is made. Every clEnqueue* that is not captured ends here. With one real device all of them do.
#pragma once

#include "libinterpose/capture/runtime.hpp"
#include "libinterpose/objects/objects.hpp"

#include <span>
#include <vector>

namespace mkmd::api {

// A wait list as the program gave it.
struct WaitList {
  cl_uint count;
  const cl_event* events;
};

// What the vendor is called with.
struct NativeCall {
  cl_command_queue queue;
  cl_uint wait_count;
  const cl_event* waits;  // if wait_count is 0, null or not as the program's own list of no events
  cl_event* event;        // may be null
};

// Whether a command of the queue that waits for these events may be captured now. It may not while a user
// event is unset, nor where the vendor might refuse the list. The vendor might also take an event of no
// context or of another one.
bool may_capture(const Queue& queue, WaitList wait_list);
// Commands that go straight to home's driver take another time than on home, and no kernels are profiled.
bool has_untimed_commands();
// A command goes there.
void note_native_command();
// The objects behind the wait list of a command that may be captured.
std::vector<Event*> events_of(WaitList wait_list);

// `call` is a callable (const NativeCall&) -> cl_int which calls the vendor without blocking. If `blocking`,
// this function waits for the command afterwards, outside every lock.
template <typename Call>
cl_int enqueue_native(Queue& queue, cl_command_type type, std::span<const Touched> touched,
                      WaitList wait_list, cl_event* event, bool blocking, Call&& call);

// The same for a command that names no memory object: its pointers are the home's.
template <typename Call>
cl_int enqueue_pointers(cl_command_queue command_queue, cl_command_type type, WaitList wait_list,
                        cl_event* event, bool blocking, Call&& call) {
  Queue* queue = object_cast<Queue>(command_queue);
  if (queue == nullptr) return CL_INVALID_COMMAND_QUEUE;
  return enqueue_native(*queue, type, {}, wait_list, event, blocking, call);
}

}  // namespace mkmd::api

#include "libinterpose/api/commands/enqueue_native.inl"
