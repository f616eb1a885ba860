// SPDX-License-Identifier: Apache-2.0
// Definition of enqueue_native; included by enqueue.hpp only.
#include "libinterpose/api/commands/blocking_wait.hpp"
#include "libinterpose/process.hpp"

#include <optional>

namespace mkmd::api {

// A wait list as the vendor gets it, to judge. Drivers differ in which of them take null events and events of
// other contexts.
class NativeWaits {
public:
  // Before the native turn: captured commands of other contexts end. Only what is no event is refused.
  cl_int wait_for_others(const Context& context, WaitList wait_list);
  // Captured events are complete during a native turn, so only their failure matters.
  cl_int add(const Context& context, WaitList wait_list);
  const std::vector<cl_event>& events() const { return events_; }
  // One of them has failed already. Some drivers never end a command behind it.
  bool any_failed() const;

private:
  std::vector<cl_event> events_;
  std::vector<vendor::Owned<cl_event>> stand_ins_;  // for the captured events of other contexts, in order
};

template <typename Call>
cl_int enqueue_native(Queue& queue, cl_command_type type, std::span<const Touched> touched,
                      WaitList wait_list, cl_event* event, bool blocking, Call&& call) {
  NativeWaits native_waits;
  if (const cl_int error = native_waits.wait_for_others(*queue.context, wait_list); error != CL_SUCCESS)
    return error;
  Runtime* runtime = runtime_of(*queue.context);
  cl_event native_event = nullptr;
  {
    std::optional<Runtime::NativeTurn> turn;
    if (runtime != nullptr) turn.emplace(*runtime, touched);
    if (turn && turn->status() < 0) return turn->status();
    if (const cl_int error = native_waits.add(*queue.context, wait_list); error != CL_SUCCESS) return error;
    const std::vector<cl_event>& waits = native_waits.events();
    const bool may_never_end = runtime != nullptr && native_waits.any_failed();
    const NativeCall native{queue.native.get(), static_cast<cl_uint>(waits.size()),
                            wait_list.count == 0 ? wait_list.events
                            : waits.empty()      ? nullptr
                                                 : waits.data(),
                            event != nullptr || blocking || may_never_end ? &native_event : nullptr};
    if (const cl_int error = call(native); error != CL_SUCCESS) return error;
    if (runtime != nullptr) runtime->native_work().note(queue);
    if (may_never_end) runtime->native_work().note_waiting(vendor::retained(native_event));
    if (Trace& trace = process().session->trace; trace.on()) trace.count_native(type);
    if (type != CL_COMMAND_MARKER && type != CL_COMMAND_BARRIER) note_native_command();
  }
  vendor::Owned<cl_event> owned(native_event);
  // Before the wait, whose callbacks may release the program's last handle of the queue.
  Event* const made = event != nullptr ? new Event(queue.context.get(), &queue, type) : nullptr;
  cl_int status = CL_SUCCESS;
  if (blocking) {  // outside the turn: other threads go on meanwhile
    BlockingWait wait(*queue.context);
    if (queue.in_order()) wait.add(queue);
    vendor::table(queue.native.get()).clFlush(queue.native.get());
    status = vendor::table(native_event).clWaitForEvents(1, &native_event);
    wait.end();
  }
  if (made != nullptr) {
    made->native = std::move(owned);
    *event = made->handle();
  }
  return status;
}

}  // namespace mkmd::api
