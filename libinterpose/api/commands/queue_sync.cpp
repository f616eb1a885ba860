// SPDX-License-Identifier: Apache-2.0
// Markers, barriers, flush, finish and waiting for events.
#include "libinterpose/api/commands/blocking_wait.hpp"
#include "libinterpose/api/commands/capture.hpp"
#include "libinterpose/api/generated/entry_points.hpp"

namespace mkmd::api {

namespace {

// `call` is the vendor's slot: (queue, wait count, waits, event).
template <typename Call>
cl_int enqueue_marker(cl_command_queue command_queue, cl_command_type type, WaitList waits, cl_event* event,
                      Call call) {
  Queue* queue = object_cast<Queue>(command_queue);
  if (queue == nullptr) return CL_INVALID_COMMAND_QUEUE;
  Runtime* runtime = runtime_of(*queue->context);
  if (runtime != nullptr && runtime->capturing() && may_capture(*queue, waits)) {
    Ref<Command> command(new Command(MarkerCommand{type == CL_COMMAND_BARRIER}, queue));
    if (const auto status = capture(std::move(command), type, waits, event, false)) return *status;
  }
  return enqueue_native(*queue, type, {}, waits, event, false, call);
}

cl_int barrier(const NativeCall& n) {
  return vendor::table(n.queue).clEnqueueBarrierWithWaitList(n.queue, n.wait_count, n.waits, n.event);
}

cl_int marker(const NativeCall& n) {
  return vendor::table(n.queue).clEnqueueMarkerWithWaitList(n.queue, n.wait_count, n.waits, n.event);
}

}  // namespace

cl_int EnqueueMarkerWithWaitList(cl_command_queue command_queue, cl_uint num_events_in_wait_list,
                                 const cl_event* event_wait_list, cl_event* event) {
  return enqueue_marker(command_queue, CL_COMMAND_MARKER, {num_events_in_wait_list, event_wait_list}, event,
                        marker);
}

cl_int EnqueueBarrierWithWaitList(cl_command_queue command_queue, cl_uint num_events_in_wait_list,
                                  const cl_event* event_wait_list, cl_event* event) {
  return enqueue_marker(command_queue, CL_COMMAND_BARRIER, {num_events_in_wait_list, event_wait_list}, event,
                        barrier);
}

cl_int EnqueueMarker(cl_command_queue command_queue, cl_event* event) {
  if (object_cast<Queue>(command_queue) == nullptr) return CL_INVALID_COMMAND_QUEUE;
  if (event == nullptr) return CL_INVALID_VALUE;
  return enqueue_marker(command_queue, CL_COMMAND_MARKER, {0, nullptr}, event, marker);
}

cl_int EnqueueBarrier(cl_command_queue command_queue) {
  return enqueue_marker(command_queue, CL_COMMAND_BARRIER, {0, nullptr}, nullptr, barrier);
}

cl_int EnqueueWaitForEvents(cl_command_queue command_queue, cl_uint num_events, const cl_event* event_list) {
  Queue* queue = object_cast<Queue>(command_queue);
  if (queue == nullptr) return CL_INVALID_COMMAND_QUEUE;
  if (num_events == 0 || event_list == nullptr) return CL_INVALID_VALUE;
  return enqueue_marker(command_queue, CL_COMMAND_BARRIER, {num_events, event_list}, nullptr, barrier);
}

cl_int Flush(cl_command_queue command_queue) {
  Queue* queue = object_cast<Queue>(command_queue);
  if (queue == nullptr) return CL_INVALID_COMMAND_QUEUE;
  flush(*queue->context);
  return vendor::table(queue->native.get()).clFlush(queue->native.get());
}

cl_int Finish(cl_command_queue command_queue) {
  Queue* queue = object_cast<Queue>(command_queue);
  if (queue == nullptr) return CL_INVALID_COMMAND_QUEUE;
  BlockingWait wait(*queue->context);
  wait.add(*queue);
  Runtime* const runtime = runtime_of(*queue->context);
  if (runtime != nullptr) runtime->finish(*queue);
  const cl_int status = vendor::table(queue->native.get()).clFinish(queue->native.get());
  wait.end();
  return runtime != nullptr && runtime->executor().failed() < 0 ? runtime->executor().failed() : status;
}

cl_int WaitForEvents(cl_uint num_events, const cl_event* event_list) {
  if (num_events == 0 || event_list == nullptr) return CL_INVALID_VALUE;
  std::vector<Event*> events;
  for (cl_uint i = 0; i < num_events; ++i) {
    Event* event = object_cast<Event>(event_list[i]);
    if (event == nullptr) return CL_INVALID_EVENT;
    if (i > 0 && event->context.get() != events.front()->context.get()) return CL_INVALID_CONTEXT;
    events.push_back(event);
  }
  BlockingWait wait(*events.front()->context);
  for (const Event* event : events)
    wait.add(order_of_callbacks(*event));
  flush(*events.front()->context);
  cl_int result = CL_SUCCESS;
  std::vector<cl_event> natives;
  for (Event* event : events) {
    if (event->native) {
      natives.push_back(event->native.get());
      continue;
    }
    runtime_of(*event->context)->wait(*event);
    if (event->status.load(std::memory_order_acquire) < 0)
      result = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  }
  if (!natives.empty()) {
    const cl_int status =
        vendor::table(natives.front()).clWaitForEvents(static_cast<cl_uint>(natives.size()), natives.data());
    if (status != CL_SUCCESS) result = status;
  }
  wait.end();
  return result;
}

}  // namespace mkmd::api
