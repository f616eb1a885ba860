// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/device/opencl_devices.hpp"

#include "common/host_clock.hpp"
#include "common/thread_annotations.hpp"
#include "libinterpose/memory/storage.hpp"
#include "libinterpose/vendor/careful.hpp"

#include <unordered_map>
#include <utility>

namespace mkmd {

namespace {

// The data of a driver's callback. Some drivers never call back, and others call back after the end of an
// action was found out otherwise. The listener may be destroyed by then. So a callback has this object only,
// which may leak.
struct Hearing {
  Devices::Listener* listener;
  Ref<Action> action;  // null once its end is known
};

// The Hearings of all actions with a callback in a driver. Its mutex is a leaf. Never destroyed.
class Hearings {
public:
  static Hearings& all() {
    static auto* const all = new Hearings;
    return *all;
  }

  void add(Hearing& hearing) {
    const Lock lock(mutex_);
    of_[hearing.action.get()] = &hearing;
  }
  Ref<Action> take(Hearing& hearing) {  // null: its end is known
    const Lock lock(mutex_);
    if (hearing.action) of_.erase(hearing.action.get());
    return std::exchange(hearing.action, {});
  }
  Ref<Action> take(Action& action) {  // null: the driver has called back
    const Lock lock(mutex_);
    const auto hearing = of_.find(&action);
    if (hearing == of_.end()) return {};
    Ref<Action> kept = std::exchange(hearing->second->action, {});
    of_.erase(hearing);
    return kept;
  }

private:
  Mutex mutex_;
  std::unordered_map<const Action*, Hearing*> of_ GUARDED_BY(mutex_);
};

void CL_CALLBACK on_end(cl_event, cl_int status, void* user_data) {
  const std::unique_ptr<Hearing> hearing(static_cast<Hearing*>(user_data));
  const Ref<Action> action = Hearings::all().take(*hearing);
  if (action && !action->driver.heard.exchange(true)) hearing->listener->ended(*action, status);
}

}  // namespace

cl_ulong OpenClDevices::now() const {
  return host_nanoseconds() + host_to_home_;
}

Devices::Submission OpenClDevices::submit(Action& action, std::span<const Ref<Action>> before,
                                          Listener& listener) {
  std::vector<cl_event> waits;
  for (const Ref<Action>& one : before) {
    if (!one->driver.native) continue;
    const cl_event event = one->driver.native.get();
    // PoCL never starts a command that waits for a failed one. Other drivers may run it.
    if (vendor::execution_status(event) < 0) return {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST};
    if (one->lane != action.lane) waits.push_back(event);  // an in-order queue orders its own actions
  }
  if (threads_ != nullptr && action.piece.groups > 0 && action.piece.share < 1) threads_->before_piece();
  Action::Outcome outcome = action.work(waits);
  action.driver.begun = outcome.begun;
  // Set before the callback, which may come at once: the listener's thread reads the event.
  action.driver.native = std::move(outcome.event);
  if (outcome.status != CL_SUCCESS || !action.driver.native) {
    look_after_failure(action, outcome.status);
    return {outcome.status};
  }
  listener.under_way(action);
  auto hearing = std::make_unique<Hearing>(Hearing{&listener, Ref<Action>(&action)});
  Hearings::all().add(*hearing);
  const cl_event event = action.driver.native.get();
  if (vendor::table(event).clSetEventCallback(event, CL_COMPLETE, on_end, hearing.get()) == CL_SUCCESS) {
    (void)hearing.release();  // the callback owns it now
    return {CL_SUCCESS, true};
  }
  Hearings::all().take(*hearing);
  note_trouble(*action.lane, "setting an event's callback", CL_OUT_OF_RESOURCES);
  const auto end = vendor::await_event(event, action.lane->queue);
  if (!end) action.elsewhere.redo = nullptr;  // it may still be under way
  action.driver.heard.store(true);
  listener.ended(action, end.value_or(CL_OUT_OF_RESOURCES));
  return {CL_SUCCESS, true};
}

cl_int OpenClDevices::run(Action& action, cl_int refused) {
  action.times.started = now();
  Action::Outcome outcome = refused < 0 ? Action::Outcome{refused, {}} : action.work({});
  action.driver.begun = outcome.begun;
  action.driver.native = std::move(outcome.event);
  read_times(action, host_nanoseconds());
  if (refused >= 0) look_after_failure(action, outcome.status);
  return outcome.status;
}

char* OpenClDevices::host_bytes(Storage& storage, const Lane& lane, cl_mem) {
  return storage.host_bytes(lane.domain);
}

void OpenClDevices::flush(Lane& lane) {
  const cl_command_queue queue = lane.queue.get();
  const cl_int status = vendor::table(queue).clFlush(queue);
  if (status == CL_SUCCESS) return;
  note_trouble(lane, "flushing its queue", status);
  vendor::finish_carefully(lane.queue);
}

// Callbacks say what became of the actions.
void OpenClDevices::help(const Lane& lane) {
  vendor::finish_carefully(lane.queue);
}

std::optional<cl_int> OpenClDevices::status(const Action& action) {
  return vendor::status_of(action.driver.native.get());
}

cl_int OpenClDevices::end(Action& action, cl_int told, cl_ulong heard) {
  Hearings::all().take(action);
  // PoCL gives callbacks the status that they were set for, also for failed commands.
  const cl_int status = told >= 0 && action.driver.native ? vendor::end_of(action.driver.native.get()) : told;
  read_times(action, heard);
  look_after_failure(action, status);
  return status;
}

bool OpenClDevices::has_failed(int device) const {
  return trouble_.left_out(device);
}

bool OpenClDevices::is_lost(int domain) const {
  return trouble_.is_lost(domain);
}

void OpenClDevices::look_after(const Lane& lane) {
  trouble_.look(lane.domain);
}

void OpenClDevices::forget(Action& action) {
  Hearings::all().take(action);
}

// A memory whose bytes could not be read in any way is lost.
void OpenClDevices::look_after_failure(const Action& action, cl_int status) {
  if (status >= 0) return trouble_.look_at_suspects();
  trouble_.look(action.works_in());
  if (action.transfer.bytes == 0) return;
  trouble_.look(action.transfer.from_domain);
  if (!trouble_.is_lost(action.works_in()))
    trouble_.lose(action.transfer.from_domain, "its memory cannot be read");
}

void OpenClDevices::note_trouble(const Lane& lane, const char* what, cl_int status) {
  trouble_.note(lane, what, status);
}

bool OpenClDevices::may_compile() const {
  return !compilers_.may_be_gone();
}

// `heard` is the instant of the host's clock at which the end became known.
void OpenClDevices::read_times(Action& action, cl_ulong heard) const {
  cl_ulong start = 0;
  cl_ulong end = 0;
  if (action.driver.native) {
    const auto& table = vendor::table(action.driver.native.get());
    const auto ask = [&](cl_profiling_info what, cl_ulong& value) {
      return table.clGetEventProfilingInfo(action.driver.native.get(), what, sizeof value, &value, nullptr) ==
             CL_SUCCESS;
    };
    if (!ask(CL_PROFILING_COMMAND_START, start) || !ask(CL_PROFILING_COMMAND_END, end)) start = end = 0;
  }
  const cl_ulong now = heard + host_to_home_;
  if (end == 0 || start == 0 || end < start) {
    action.times.ended = now;
    action.times.started = action.times.started == 0 ? now : action.times.started;
    return;
  }
  // Clocks of other devices have other zeros. Where the offset is unknown, only durations are right.
  const int64_t offset = action.lane->clock_offset;
  const cl_ulong shift = offset != 0 ? host_to_home_ - offset : action.lane->domain == 0 ? 0 : now - end;
  action.times.started = start + shift;
  action.times.ended = end + shift;
}

}  // namespace mkmd
