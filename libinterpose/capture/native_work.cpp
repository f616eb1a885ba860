// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/capture/native_work.hpp"

#include <algorithm>

namespace mkmd {

namespace {

// The event of a marker behind everything on the native queue. Null: everything there is over.
NativeEnd marker_behind_all(cl_command_queue native) {
  const auto& table = vendor::table(native);
  cl_event marker = nullptr;
  if (table.clEnqueueMarkerWithWaitList(native, 0, nullptr, &marker) != CL_SUCCESS) {
    table.clFinish(native);
    return nullptr;
  }
  table.clFlush(native);
  return std::make_shared<const vendor::Owned<cl_event>>(vendor::Owned<cl_event>(marker));
}

}  // namespace

bool NativeWork::is_over(const End& end) {
  return vendor::execution_status(end.marker->get()) <= CL_COMPLETE;
}

void NativeWork::note(Queue& queue) {
  if (queue.native_active.exchange(true, std::memory_order_relaxed)) return;
  vendor::Owned<cl_command_queue> native = vendor::retained(queue.native.get());
  const Lock lock(mutex_);
  active_.push_back({&queue, std::move(native)});
}

void NativeWork::note_waiting(vendor::Owned<cl_event> event) {
  std::vector<End> ends;  // where there are many, those that are over go
  {
    const Lock lock(mutex_);
    if (ends_.size() == ends_.capacity()) ends.swap(ends_);
  }
  std::erase_if(ends, is_over);
  ends.push_back({std::make_shared<const vendor::Owned<cl_event>>(std::move(event)), true});
  const Lock lock(mutex_);
  ends_.insert(ends_.end(), ends.begin(), ends.end());
}

bool NativeWork::may_wait(const Context& context) {
  if (context.unset_user_events.load(std::memory_order_acquire) > 0) return true;
  std::vector<End> ends;
  {
    const Lock lock(mutex_);
    ends.swap(ends_);
  }
  std::erase_if(ends, is_over);
  const bool any = std::any_of(ends.begin(), ends.end(), [](const End& end) { return end.may_wait; });
  const Lock lock(mutex_);
  ends_.insert(ends_.end(), ends.begin(), ends.end());
  return any;
}

// Until the marker of its work is in the list, the queue itself is.
void NativeWork::note_end(Queue& queue) {
  const auto is_this = [&](const ActiveQueue& active) { return active.queue == &queue; };
  std::vector<End> ends;  // declared before the locks: what is let go of goes after them
  std::vector<ActiveQueue> active;
  {
    const Lock lock(mutex_);
    if (std::none_of(active_.begin(), active_.end(), is_this)) return;
    ends = ends_;
  }
  std::erase_if(ends, [](const End& end) { return !is_over(end); });
  NativeEnd marker = marker_behind_all(queue.native.get());
  const Lock lock(mutex_);
  const auto here = std::find_if(active_.begin(), active_.end(), is_this);
  if (here == active_.end()) return;  // another thread has taken its work meanwhile
  if (marker) ends_.push_back({std::move(marker), false});
  active.push_back(std::move(*here));
  active_.erase(here);
  std::erase_if(ends_, [&](const End& end) {
    return std::any_of(ends.begin(), ends.end(), [&](const End& over) { return over.marker == end.marker; });
  });
}

std::vector<NativeEnd> NativeWork::take() {
  std::vector<NativeEnd> ends;
  std::vector<ActiveQueue> active;
  {
    const Lock lock(mutex_);
    for (End& end : std::exchange(ends_, {}))
      ends.push_back(std::move(end.marker));
    active = std::exchange(active_, {});
    for (const ActiveQueue& one : active)
      one.queue->native_active.store(false, std::memory_order_relaxed);
  }
  for (const ActiveQueue& one : active) {
    if (NativeEnd marker = marker_behind_all(one.native.get())) ends.push_back(std::move(marker));
  }
  return ends;
}

// Queues stay active: each has another marker later, behind what it gets until then.
std::vector<NativeEnd> NativeWork::ends() {
  std::vector<NativeEnd> ends;
  std::vector<vendor::Owned<cl_command_queue>> queues;
  {
    const Lock lock(mutex_);
    for (const End& end : ends_)
      ends.push_back(end.marker);
    for (const ActiveQueue& one : active_)
      queues.push_back(vendor::retained(one.native.get()));
  }
  for (const vendor::Owned<cl_command_queue>& queue : queues) {
    if (NativeEnd marker = marker_behind_all(queue.get())) ends.push_back(std::move(marker));
  }
  return ends;
}

void NativeWork::finish() {
  for (const NativeEnd& marker : take()) {
    const cl_event event = marker->get();
    vendor::table(event).clWaitForEvents(1, &event);
  }
}

}  // namespace mkmd
