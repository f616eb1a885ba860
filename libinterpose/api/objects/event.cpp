// SPDX-License-Identifier: Apache-2.0
// Events: questions, user events, callbacks. An event is the vendor's, passed on, or a captured command's,
// whose state the runtime keeps in the object itself.
#include "libinterpose/api/generated/entry_points.hpp"
#include "libinterpose/api/vendor_call.hpp"
#include "libinterpose/api/write_info.hpp"
#include "libinterpose/capture/runtime.hpp"
#include "libinterpose/life/callback_thread.hpp"

#include <chrono>
#include <thread>

namespace mkmd::api {

namespace {

// The answer makes progress by itself, for programs that enqueue and poll. A program that polls on is
// slowed a little. It does not get a core to itself, which the work that it waits for needs (Rule 8 of
// docs/architecture.md).
cl_int captured_status(Event& event) {
  constexpr uint32_t kFreeAnswers = 3;
  flush(*event.context);
  const cl_int status = event.status.load(std::memory_order_acquire);
  if (status > CL_COMPLETE &&
      event.unchanged_answers.fetch_add(1, std::memory_order_relaxed) >= kFreeAnswers) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    return event.status.load(std::memory_order_acquire);
  }
  return status;
}

struct VendorCallback {
  Ref<Event> event;
  void(CL_CALLBACK* function)(cl_event, cl_int, void*);
  void* user_data;

  static void CL_CALLBACK call(cl_event, cl_int status, void* data) {
    std::shared_ptr<const VendorCallback> kept(static_cast<const VendorCallback*>(data));
    const CallbackOrder order = order_of_callbacks(*kept->event);
    run_callback(
        [kept = std::move(kept), status] { kept->function(kept->event->handle(), status, kept->user_data); },
        order);
  }
};

}  // namespace

cl_int GetEventInfo(cl_event event, cl_event_info param_name, size_t param_value_size, void* param_value,
                    size_t* param_value_size_ret) {
  const InfoTarget target{param_value_size, param_value, param_value_size_ret};
  Event* ours = object_cast<Event>(event);
  if (ours == nullptr) return CL_INVALID_EVENT;
  switch (param_name) {
  case CL_EVENT_COMMAND_QUEUE: {
    const cl_command_queue queue = ours->queue ? ours->queue->handle() : nullptr;
    return write_info(target, queue);
  }
  case CL_EVENT_CONTEXT:
    return write_info(target, ours->context->handle());
  case CL_EVENT_REFERENCE_COUNT:
    return write_info(target, ours->program_references());
  default:
    break;
  }
  if (ours->native) {
    if (param_name == CL_EVENT_COMMAND_EXECUTION_STATUS) flush(*ours->context);
    return vendor::table(ours->native.get())
        .clGetEventInfo(ours->native.get(), param_name, param_value_size, param_value, param_value_size_ret);
  }
  switch (param_name) {
  case CL_EVENT_COMMAND_TYPE:
    return write_info(target, ours->command_type);
  case CL_EVENT_COMMAND_EXECUTION_STATUS:
    return write_info(target, captured_status(*ours));
  default:
    return CL_INVALID_VALUE;
  }
}

cl_int GetEventProfilingInfo(cl_event event, cl_profiling_info param_name, size_t param_value_size,
                             void* param_value, size_t* param_value_size_ret) {
  Event* ours = object_cast<Event>(event);
  if (ours == nullptr) return CL_INVALID_EVENT;
  if (ours->native) {
    if (ours->queue && ours->queue->traced && !ours->queue->profiling())
      return CL_PROFILING_INFO_NOT_AVAILABLE;
    return vendor_call<&cl_icd_dispatch::clGetEventProfilingInfo>(
        ours->native.get(), param_name, param_value_size, param_value, param_value_size_ret);
  }
  if (!ours->queue || !ours->queue->profiling() ||
      ours->status.load(std::memory_order_acquire) != CL_COMPLETE) {
    return CL_PROFILING_INFO_NOT_AVAILABLE;
  }
  size_t which = 0;
  switch (param_name) {
  case CL_PROFILING_COMMAND_QUEUED:
    which = 0;
    break;
  case CL_PROFILING_COMMAND_SUBMIT:
    which = 1;
    break;
  case CL_PROFILING_COMMAND_START:
    which = 2;
    break;
  case CL_PROFILING_COMMAND_END:
  case CL_PROFILING_COMMAND_COMPLETE:
    which = 3;
    break;
  default:
    return CL_INVALID_VALUE;
  }
  const cl_ulong time = ours->times[which].load(std::memory_order_relaxed);
  return write_info({param_value_size, param_value, param_value_size_ret}, time);
}

cl_int SetEventCallback(cl_event event, cl_int command_exec_callback_type,
                        void(CL_CALLBACK* pfn_notify)(cl_event, cl_int, void*), void* user_data) {
  Event* ours = object_cast<Event>(event);
  if (ours == nullptr) return CL_INVALID_EVENT;
  if (pfn_notify == nullptr || command_exec_callback_type < CL_COMPLETE ||
      command_exec_callback_type > CL_SUBMITTED) {
    return CL_INVALID_VALUE;
  }
  if (ours->native) {
    auto callback =
        std::unique_ptr<VendorCallback>(new VendorCallback{Ref<Event>(ours), pfn_notify, user_data});
    const cl_int error = vendor_call<&cl_icd_dispatch::clSetEventCallback>(
        ours->native.get(), command_exec_callback_type, &VendorCallback::call,
        static_cast<void*>(callback.get()));
    if (error == CL_SUCCESS) (void)callback.release();
    return error;
  }
  promise_callback(order_of_callbacks(*ours));
  {
    const Lock lock(ours->mutex);
    ours->callbacks.push_back({command_exec_callback_type, pfn_notify, user_data});
  }
  event_status_changed(*ours);  // it may be due already
  return CL_SUCCESS;
}

cl_event CreateUserEvent(cl_context context, cl_int* errcode_ret) {
  Context* ours = object_cast<Context>(context);
  if (ours == nullptr) return fail(errcode_ret, CL_INVALID_CONTEXT);
  cl_int error = CL_SUCCESS;
  auto native = vendor_create<&cl_icd_dispatch::clCreateUserEvent>(error, ours->native.get());
  if (!native) return fail(errcode_ret, error);
  auto* event = new Event(ours, nullptr, CL_COMMAND_USER);
  event->native = std::move(native);
  event->is_user = true;
  ours->unset_user_events.fetch_add(1);
  set_error(errcode_ret, CL_SUCCESS);
  return event->handle();
}

cl_int SetUserEventStatus(cl_event event, cl_int execution_status) {
  Event* ours = object_cast<Event>(event);
  if (ours == nullptr || !ours->is_user) return CL_INVALID_EVENT;
  const cl_int error =
      vendor_call<&cl_icd_dispatch::clSetUserEventStatus>(ours->native.get(), execution_status);
  if (error == CL_SUCCESS && !ours->user_status_set.exchange(true))
    ours->context->unset_user_events.fetch_sub(1);
  return error;
}

}  // namespace mkmd::api
