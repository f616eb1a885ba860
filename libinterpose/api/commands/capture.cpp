// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/api/commands/capture.hpp"

#include "libinterpose/api/commands/blocking_wait.hpp"

namespace mkmd::api {

std::optional<cl_int> capture(Ref<Command> command, cl_command_type type, WaitList wait_list, cl_event* event,
                              bool blocking) {
  Queue& queue = *command->queue;
  Runtime& runtime = *runtime_of(*queue.context);
  Event* const made = event != nullptr ? new Event(queue.context.get(), &queue, type) : nullptr;
  command->event = Ref<Event>(made);
  const std::vector<Event*> waits = events_of(wait_list);
  for (Event* wait : waits) {
    const bool ended = wait->native ? vendor::execution_status(wait->native.get()) == CL_COMPLETE
                                    : wait->status.load(std::memory_order_acquire) == CL_COMPLETE;
    if (!ended) command->waits.emplace_back(wait);
  }
  if (!runtime.capture(command, waits)) {
    if (made != nullptr) made->program_release();
    return std::nullopt;
  }
  if (made != nullptr) *event = made->handle();
  if (!blocking) return CL_SUCCESS;
  BlockingWait wait(*queue.context);
  if (queue.in_order()) wait.add(queue);
  runtime.wait(*command);
  wait.end();
  return command->status < 0 ? command->status : CL_SUCCESS;
}

}  // namespace mkmd::api
