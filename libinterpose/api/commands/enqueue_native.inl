// SPDX-License-Identifier: Apache-2.0
// Definition of enqueue_native; included by enqueue.hpp only.
#include "libinterpose/process.hpp"

#include <optional>

namespace mkmd::api {

// Vendor events of a wait list. Captured events are complete during a native turn, so only their failure
// matters.
cl_int native_waits(WaitList wait_list, std::vector<cl_event>& natives);

template <typename Call>
cl_int enqueue_native(Queue& queue, cl_command_type type, std::span<const Touched> touched,
                      WaitList wait_list, cl_event* event, bool blocking, Call&& call) {
  if (const cl_int error = check_wait_list(*queue.context, wait_list); error != CL_SUCCESS) return error;
  Runtime* runtime = runtime_of(*queue.context);
  cl_event native_event = nullptr;
  {
    std::optional<Runtime::NativeTurn> turn;
    if (runtime != nullptr) turn.emplace(*runtime, touched);
    if (turn && turn->status() < 0) return turn->status();
    std::vector<cl_event> waits;
    if (wait_list.count > 0) {
      if (const cl_int error = native_waits(wait_list, waits); error != CL_SUCCESS) return error;
    }
    const NativeCall native{queue.native.get(), static_cast<cl_uint>(waits.size()),
                            wait_list.count == 0 ? wait_list.events
                            : waits.empty()      ? nullptr
                                                 : waits.data(),
                            event != nullptr || blocking ? &native_event : nullptr};
    if (const cl_int error = call(native); error != CL_SUCCESS) return error;
    if (runtime != nullptr) runtime->native_work().note(queue);
    if (Trace& trace = process().session->trace; trace.on()) trace.count_native(type);
    if (type != CL_COMMAND_MARKER && type != CL_COMMAND_BARRIER) note_untimed();
  }
  vendor::Owned<cl_event> owned(native_event);
  cl_int status = CL_SUCCESS;
  if (blocking) {  // outside the turn: other threads go on meanwhile
    CallbackWait callbacks;
    if (queue.in_order()) callbacks.add(queue);
    vendor::table(queue.native.get()).clFlush(queue.native.get());
    status = vendor::table(native_event).clWaitForEvents(1, &native_event);
    callbacks.end();
  }
  if (event != nullptr) {
    auto* made = new Event(queue.context.get(), &queue, type);
    made->native = std::move(owned);
    *event = made->handle();
  }
  return status;
}

}  // namespace mkmd::api
