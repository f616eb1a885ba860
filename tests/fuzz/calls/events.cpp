// SPDX-License-Identifier: Apache-2.0
// Steps about order and time: markers, barriers, flush, finish, waiting, polling, callbacks, profiling, and
// events handed from one player to another.
#include "player.hpp"

#include <algorithm>

namespace fuzz {

namespace {

struct EventCallback {
  Callbacks* callbacks;
  cl_int trigger;
  std::atomic<int> called{0};
};

void CL_CALLBACK event_reached(cl_event, cl_int status, void* data) {
  auto* callback = static_cast<EventCallback*>(data);
  if (callback->called.fetch_add(1) > 0) callback->callbacks->twice.fetch_add(1);
  if (status > callback->trigger) callback->callbacks->out_of_turn.fetch_add(1);
  callback->callbacks->events_called.fetch_add(1);
}

bool closed(const Command& command) {
  return std::any_of(command.sure_gates.begin(), command.sure_gates.end(),
                     [](const GatePtr& gate) { return !gate->is_set; });
}

}  // namespace

void Player::marker(Family& family) {
  const QueuePtr queue = pick_queue(family);
  Order order = this->order(family, queue, {});
  const bool barrier = random_.chance(50);
  if (order.waits.empty()) order.command->gates.insert(queue->gates.begin(), queue->gates.end());
  const cl_int code =
      barrier ? clEnqueueBarrierWithWaitList(queue->handle, order.count(), order.list(), order.out())
              : clEnqueueMarkerWithWaitList(queue->handle, order.count(), order.list(), order.out());
  enqueued(family, order, {}, barrier ? "clEnqueueBarrierWithWaitList" : "clEnqueueMarkerWithWaitList", code,
           false);
}

void Player::flush(Family& family) {
  must("clFlush", clFlush(pick_queue(family)->handle));
}

void Player::finish(Family& family) {
  settle(family, pick_queue(family));
}

void Player::wait(Family& family) {
  std::vector<cl_event> handles;
  std::vector<EventPtr> events;
  for (size_t i = random_.between(1, 3); i > 0 && !family.events.empty(); --i) {
    const EventPtr event = random_.pick(family.events);
    if (event->gate) open({event->gate});
    if (event->command) open(std::set<GatePtr>(event->command->gates));
    events.push_back(event);
    handles.push_back(event->handle);
  }
  if (events.empty()) return;
  must("clWaitForEvents", clWaitForEvents(static_cast<cl_uint>(handles.size()), handles.data()));
  for (const EventPtr& event : events) {
    if (event->command) complete(event->command);
    ask_event(event);
  }
}

// What is known of its status. What the driver may have done already is nobody's business.
void Player::ask_event(const EventPtr& event) {
  cl_int status = 12345;
  must("clGetEventInfo",
       clGetEventInfo(event->handle, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr));
  if (event->gate) {
    if (status != (event->gate->is_set ? CL_COMPLETE : CL_SUBMITTED))
      fault("a user event has status %d", status);
  } else if (event->command->complete ? status != CL_COMPLETE : status < CL_COMPLETE || status > CL_QUEUED) {
    fault("a command that is %scomplete has status %d", event->command->complete ? "" : "perhaps ", status);
  } else if (closed(*event->command) && status < CL_SUBMITTED) {
    fault("a command that waits for a user event has status %d", status);
  }
}

void Player::poll(Family& family) {
  if (family.events.empty()) return;
  const EventPtr event = random_.pick(family.events);
  for (size_t i = random_.between(1, 4); i > 0; --i)
    ask_event(event);
}

void Player::event_callback(Family& family) {
  if (family.events.empty()) return;
  const EventPtr event = random_.pick(family.events);
  const cl_int trigger =
      event->gate ? CL_COMPLETE : random_.one_of({CL_COMPLETE, CL_COMPLETE, CL_RUNNING, CL_SUBMITTED});
  auto* callback = new EventCallback{&shared_.callbacks, trigger};
  static std::mutex mutex;
  static std::vector<std::unique_ptr<EventCallback>> all;  // counted until the end
  {
    const std::lock_guard lock(mutex);
    all.emplace_back(callback);
  }
  shared_.callbacks.events_expected.fetch_add(1);
  must("clSetEventCallback", clSetEventCallback(event->handle, trigger, event_reached, callback));
}

void Player::profile(Family& family) {
  if (family.events.empty()) return;
  const EventPtr event = random_.pick(family.events);
  if (!event->command || !event->command->complete) return;
  cl_ulong before = 0;
  for (const cl_profiling_info what : {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                       CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END}) {
    cl_ulong time = 0;
    must("clGetEventProfilingInfo", clGetEventProfilingInfo(event->handle, what, sizeof time, &time, nullptr),
         event->profiling ? CL_SUCCESS : CL_PROFILING_INFO_NOT_AVAILABLE);
    if (event->profiling && time < before) fault("a command's times fall: %x", what);
    before = time;
  }
}

// A command behind a user event that failed fails, too. In a queue of its own: what becomes of the commands
// after it is not specified.
void Player::failed_user_event(Family& family) {
  cl_int error = 0;
  const cl_command_queue queue = clCreateCommandQueue(family.context.handle, shared_.device, 0, &error);
  must("clCreateCommandQueue", error);
  const cl_event gate = clCreateUserEvent(family.context.handle, &error);
  must("clCreateUserEvent", error);
  cl_event marker = nullptr;
  must("clEnqueueMarkerWithWaitList", clEnqueueMarkerWithWaitList(queue, 1, &gate, &marker));
  must("clSetUserEventStatus", clSetUserEventStatus(gate, -77));
  must("clSetUserEventStatus", clSetUserEventStatus(gate, CL_COMPLETE), CL_INVALID_OPERATION);
  cl_int status = 12345;
  must("clGetEventInfo",
       clGetEventInfo(gate, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr));
  if (status != -77) fault("a failed user event has status %d", status);
  must("clWaitForEvents", clWaitForEvents(1, &marker), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  must("clGetEventInfo",
       clGetEventInfo(marker, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr));
  if (status >= 0) fault("a command behind a failed event has status %d", status);
  drop("clReleaseEvent", clReleaseEvent, gate);
  drop("clReleaseEvent", clReleaseEvent, marker);
  drop("clReleaseCommandQueue", clReleaseCommandQueue, queue);
}

void Player::hand_over(Family& family) {
  if (!family.shared || family.memories.empty()) return;
  const MemoryPtr memory = random_.pick(family.memories);
  if (memory->parent || memory.use_count() > 2 || !memory->root->mappings.empty()) return;
  // Whoever takes it knows nothing of this player's queues and user events.
  auto& accesses = memory->root->accesses;
  std::erase_if(accesses, [](const Access& access) { return access.command->complete; });
  bool profiling = false;
  for (Access& access : accesses) {
    profiling = access.command->queue->profiling;
    make_waitable(access.command);
    open(std::set<GatePtr>(access.command->gates));
    flush(access.command->queue);
    auto theirs = std::make_shared<Command>();
    theirs->event = access.command->event;
    must("clRetainEvent", clRetainEvent(theirs->event));
    theirs->queue = std::make_shared<Queue>();
    theirs->queue->references = 0;
    theirs->queue->in_order = false;
    theirs->queue->profiling = profiling;
    access.command = theirs;
  }
  std::vector<EventPtr> events;
  if (!accesses.empty()) {
    auto event = std::make_shared<Event>();
    event->command = std::make_shared<Command>(*accesses.back().command);
    event->handle = event->command->event;
    event->profiling = profiling;
    must("clRetainEvent", clRetainEvent(event->handle));
    must("clRetainEvent", clRetainEvent(event->handle));
    events.push_back(event);
  }
  std::erase(family.memories, memory);
  const std::lock_guard lock(shared_.mutex);
  shared_.memories.push_back(memory);
  shared_.events.insert(shared_.events.end(), events.begin(), events.end());
}

void Player::take_over(Family& family) {
  if (!family.shared) return;
  const std::lock_guard lock(shared_.mutex);
  if (!shared_.memories.empty() && family.memories.size() < 24) {
    const size_t which = random_.below(shared_.memories.size());
    family.memories.push_back(shared_.memories[which]);
    shared_.memories.erase(shared_.memories.begin() + static_cast<ptrdiff_t>(which));
  }
  if (!shared_.events.empty() && family.events.size() < 24) {
    family.events.push_back(shared_.events.back());
    shared_.events.pop_back();
  }
}

}  // namespace fuzz
