// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/api/capture.hpp"

namespace mkmd::api {

cl_int capture(Ref<Command> command, cl_command_type type, WaitList wait_list, cl_event* event,
               bool blocking) {
  Queue& queue = *command->queue;
  Runtime& runtime = *queue.context->runtime;
  if (event != nullptr) {
    auto* made = new Event(queue.context.get(), &queue, type);
    command->event = Ref<Event>(made);
    *event = made->handle();
  }
  const std::vector<Event*> waits = events_of(wait_list);
  runtime.capture(command, waits);
  if (!blocking) return CL_SUCCESS;
  runtime.wait(*command);
  return command->status < 0 ? command->status : CL_SUCCESS;
}

}  // namespace mkmd::api
