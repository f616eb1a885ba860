// SPDX-License-Identifier: Apache-2.0
#include "tests/libinterpose/fakes/fake_driver.hpp"

#include "tests/libinterpose/fakes/fake_table.hpp"
#include "tests/libinterpose/fakes/virtual_time.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace mkmd::fake {

Driver* Driver::current = nullptr;

bool Device::is_gone() const {
  return virtual_time::now() >= gone_at;
}

bool Device::is_mute() const {
  return virtual_time::now() >= mute_at;
}

void Driver::never_return() {
  has_not_returned = true;
  if (makes_call_in_time) return;
  std::fputs("fake driver: somebody waits for the answer of a device that gives none\n", stderr);
  std::abort();
}

Driver::Driver(size_t devices, bool with_host_bytes) : on_host_bytes(with_host_bytes) {
  current = this;
  platform_.table = &table();
  for (size_t d = 0; d < devices; ++d) {
    devices_.emplace_back(make<Device>());
    devices_.back()->name = "fake" + std::to_string(d);
  }
  virtual_time::let_pass = [this](cl_ulong until) { return advance(until); };
}

Driver::~Driver() {
  virtual_time::let_pass = nullptr;
  current = nullptr;
}

cl_program Driver::make_program() {
  return handle_of<cl_program>(make<Program>());
}

bool Driver::may_start(const Event& event) const {
  return std::all_of(event.after.begin(), event.after.end(),
                     [](const Event* before) { return before->status <= CL_COMPLETE; });
}

bool Driver::advance(cl_ulong until) {
  Event* next = nullptr;
  cl_ulong start = 0, end_at = 0;
  for (const Queue* queue : queues) {
    if (queue->flushed == 0) continue;
    Event* const first = queue->commands.front();
    if (!may_start(*first) || first->takes == UINT64_MAX) continue;
    cl_ulong at = std::max(queue->free_at, first->queued);
    if (first->is_kernel) at = std::max(at, queue->device->busy_until);
    for (const Event* before : first->after)
      at = std::max(at, before->ended);
    const cl_ulong over = queue->device->lost ? std::max(at, virtual_time::now()) : at + first->takes;
    if (over > queue->device->gone_at || over > queue->device->mute_at) continue;
    if (over > until || (next != nullptr && over >= end_at)) continue;
    next = first;
    start = at;
    end_at = over;
  }
  if (next == nullptr) return false;
  next->started = start;
  next->ended = end_at;
  virtual_time::advance_to(end_at);
  end(*next);
  return true;
}

cl_int Driver::outcome_of(const Event& event) {
  Device& device = *event.queue->device;
  if (std::any_of(event.after.begin(), event.after.end(), [](const Event* e) { return e->status < 0; }))
    return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  if (device.lost) return CL_OUT_OF_RESOURCES;
  if (!event.is_kernel || device.kernels_fail == 0) return CL_COMPLETE;
  --device.kernels_fail;
  return CL_OUT_OF_RESOURCES;
}

void Driver::end(Event& event) {
  Queue& queue = *event.queue;
  Device& device = *queue.device;
  queue.commands.pop_front();
  --queue.flushed;
  queue.free_at = event.ended;
  if (event.is_kernel) device.busy_until = event.ended;
  event.status = outcome_of(event);
  const bool failed = event.status != CL_COMPLETE;
  const int times = !failed ? 1 : event.is_kernel && device.fails_badly ? 2 : 0;
  for (int i = 0; i < times && event.work; ++i)
    event.work();
  for (Event* before : std::exchange(event.after, {}))
    release<Event>(handle_of<cl_event>(before));
  for (const Event::Callback& callback : std::exchange(event.callbacks, {})) {
    if (!device.says_nothing)
      callback.function(handle_of<cl_event>(&event), event.status, callback.user_data);
  }
  release<Event>(handle_of<cl_event>(&event));
}

void Driver::finish(Event& event) {
  if (event.status > CL_COMPLETE) event.queue->flushed = event.queue->commands.size();
  while (event.status > CL_COMPLETE) {
    if (advance(UINT64_MAX)) continue;
    std::fputs("fake driver: somebody waits for a command that never ends\n", stderr);
    std::abort();
  }
}

void Driver::finish(Queue& queue) {
  if (queue.commands.empty()) return;
  Event& last = *queue.commands.back();
  ++last.references;
  finish(last);
  release<Event>(handle_of<cl_event>(&last));
}

}  // namespace mkmd::fake
