// SPDX-License-Identifier: Apache-2.0
// Events: beginning and end, and the program's callbacks on captured commands. Callbacks on commands the
// vendor runs are the vendor's, see api/objects/event.cpp.
#include "libinterpose/objects/objects.hpp"

#include "libinterpose/life/callback_thread.hpp"

#include <algorithm>

namespace mkmd {

Event::Event(Context* of_context, Queue* of_queue, cl_command_type type)
    : context(of_context), queue(of_queue), command_type(type) {}

Event::~Event() {
  // A user event nobody can set any more. What waits for it never runs, which must not hold up anything
  // else: then nothing more of the context is captured.
  if (is_user && !user_status_set.load() && !waited_for.load()) context->unset_user_events.fetch_sub(1);
}

CallbackOrder order_of_callbacks(const Event& event) {
  const bool has_line = event.queue && event.queue->in_order();
  const void* const queue = event.queue.get();
  return {has_line ? queue : &event, event.made, queue};
}

void event_status_changed(Event& event) {
  const cl_int status = event.status.load(std::memory_order_acquire);
  std::vector<Event::Callback> due;
  {
    const Lock lock(event.mutex);
    // Statuses fall from CL_QUEUED to CL_COMPLETE; an error is below them all and makes every callback due.
    const auto first_due =
        std::stable_partition(event.callbacks.begin(), event.callbacks.end(),
                              [&](const Event::Callback& c) { return c.trigger < status; });
    due.assign(first_due, event.callbacks.end());
    event.callbacks.erase(first_due, event.callbacks.end());
  }
  // The first reached status is reported first.
  std::stable_sort(due.begin(), due.end(),
                   [](const Event::Callback& a, const Event::Callback& b) { return a.trigger > b.trigger; });
  for (const Event::Callback& callback : due) {
    run_callback(
        [callback, status, kept = Ref<Event>(&event)] {
          callback.function(kept->handle(), status < 0 ? status : callback.trigger, callback.user_data);
        },
        order_of_callbacks(event));
  }
}

}  // namespace mkmd
