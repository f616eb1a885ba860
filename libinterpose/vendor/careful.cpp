// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/vendor/careful.hpp"

#include "common/thread_annotations.hpp"
#include "libinterpose/vendor/silence.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <thread>

namespace mkmd::vendor {

namespace {

// Shared with a callback that may come late, or never.
class End {
public:
  void tell() {
    const Lock lock(mutex_);
    told_ = true;
    heard_.notify_all();
  }
  bool wait(std::chrono::nanoseconds longest) {
    Lock lock(mutex_);
    return heard_.wait_for(lock.to_wait(), longest, [&]() REQUIRES(mutex_) { return told_; });
  }

private:
  Mutex mutex_;
  std::condition_variable heard_;
  bool told_ GUARDED_BY(mutex_) = false;
};
using SharedEnd = std::shared_ptr<End>;

void CL_CALLBACK on_end(cl_event, cl_int, void* user_data) {
  const std::unique_ptr<SharedEnd> end(static_cast<SharedEnd*>(user_data));
  (*end)->tell();
}

// The driver may say that the queue's device is there, and yet take no calls for the queue.
bool is_there(const OwnQueue& queue) {
  return is_available(queue.device()) && table(queue.get()).clFlush(queue.get()) == CL_SUCCESS &&
         !is_silent(queue.get());
}

// Null: the device is lost, or the driver does not say what became of the command.
std::optional<cl_int> await_watchfully(cl_event event, const OwnQueue& queue) {
  constexpr std::chrono::milliseconds kLook{100};  // without news
  constexpr std::chrono::milliseconds kPoll{1};    // where there is no callback
  const auto end = std::make_shared<End>();
  auto* const told = new SharedEnd(end);  // the callback's, if there is one
  const bool hears = table(event).clSetEventCallback(event, CL_COMPLETE, on_end, told) == CL_SUCCESS;
  if (!hears) delete told;
  for (;;) {
    const bool is_over = end->wait(hears ? kLook : kPoll);
    const auto status = status_of(event);
    if (status && *status <= CL_COMPLETE) return status;
    if (is_over) return end_of(event);  // the driver says nothing else
    if (!is_there(queue) || (!status && !hears)) return std::nullopt;
  }
}

cl_int finish_watchfully(const OwnQueue& queue) {
  const auto& calls = table(queue.get());
  cl_event event = nullptr;
  const cl_int status =
      try_again([&] { return calls.clEnqueueMarkerWithWaitList(queue.get(), 0, nullptr, &event); });
  if (status != CL_SUCCESS) return status;
  const Owned<cl_event> marker(event);
  if (const cl_int flushed = try_again([&] { return calls.clFlush(queue.get()); }); flushed != CL_SUCCESS)
    return flushed;
  // A marker behind a command that has failed may fail, too. It is over all the same.
  return await_watchfully(event, queue) ? CL_SUCCESS : CL_DEVICE_NOT_AVAILABLE;
}

}  // namespace

// Oclgrind interprets inside clFinish; PoCL's basic driver executes inside whichever call notices the work.
bool executes_in_caller(const Platform& platform, const std::string& device_name) {
  const std::string name = short_name(platform);
  return name == "oclgrind" || computes_in_waiter(platform) ||
         (name == "pocl" && device_name.starts_with("basic"));
}

// Intel's CPU runtime has one thread less than cores: without the thread that waits, two cores do the work of
// one.
bool computes_in_waiter(const Platform& platform) {
  return short_name(platform) == "intel";
}

bool may_be_lost(cl_device_id device) {
  if (device == nullptr || is_host_cpu(device)) return false;
  const auto platform = device_value<cl_platform_id>(device, CL_DEVICE_PLATFORM);
  if (platform == nullptr) return true;
  return !executes_in_caller({platform, platform_string(platform, CL_PLATFORM_NAME)},
                             device_string(device, CL_DEVICE_NAME));
}

bool is_available(cl_device_id device) {
  return device_value<cl_bool>(device, CL_DEVICE_AVAILABLE) == CL_TRUE && !is_silent(device);
}

cl_int finish_carefully(const OwnQueue& queue) {
  if (queue.may_be_lost()) return finish_watchfully(queue);
  const auto& table = vendor::table(queue.get());
  const cl_int status = try_again([&] { return table.clFinish(queue.get()); });
  if (status == CL_SUCCESS) return status;
  cl_event event = nullptr;
  if (table.clEnqueueMarkerWithWaitList(queue.get(), 0, nullptr, &event) != CL_SUCCESS) return status;
  const vendor::Owned<cl_event> marker(event);
  table.clFlush(queue.get());
  return table.clWaitForEvents(1, &event) == CL_SUCCESS ? CL_SUCCESS : status;
}

void* map(const OwnQueue& queue, cl_mem memory, cl_map_flags flags, size_t offset, size_t size,
          cl_int& status) {
  const cl_bool is_blocking = queue.blocking();
  cl_event event = nullptr;
  void* const mapped = table(queue.get())
                           .clEnqueueMapBuffer(queue.get(), memory, is_blocking, flags, offset, size, 0,
                                               nullptr, is_blocking == CL_TRUE ? nullptr : &event, &status);
  if (status == CL_SUCCESS && mapped == nullptr) status = CL_MAP_FAILURE;
  if (status != CL_SUCCESS || is_blocking == CL_TRUE) return mapped;
  const Owned<cl_event> end(event);
  status = std::min(await_event(event, queue).value_or(CL_DEVICE_NOT_AVAILABLE), CL_SUCCESS);
  return status == CL_SUCCESS ? mapped : nullptr;
}

std::optional<cl_int> await_event(cl_event event, const OwnQueue& queue) {
  if (queue.may_be_lost()) {
    table(queue.get()).clFlush(queue.get());
    return await_watchfully(event, queue);
  }
  if (vendor::table(event).clWaitForEvents(1, &event) == CL_SUCCESS) return end_of(event);
  // The command has failed, or waiting has.
  for (auto status = status_of(event); status; status = status_of(event)) {
    if (*status <= CL_COMPLETE) return status;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return finish_carefully(queue) == CL_SUCCESS ? std::optional<cl_int>(CL_OUT_OF_RESOURCES) : std::nullopt;
}

std::optional<cl_int> status_of(cl_event event) {
  cl_int status = CL_QUEUED;
  const cl_int asked = vendor::table(event).clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                                           sizeof status, &status, nullptr);
  return asked == CL_SUCCESS ? std::optional(status) : std::nullopt;
}

cl_int end_of(cl_event event) {
  if (const auto status = status_of(event)) return std::min(*status, CL_COMPLETE);
  // Drivers that say nothing else still say here that it has failed.
  const cl_int waited = vendor::table(event).clWaitForEvents(1, &event);
  return waited == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST ? waited : CL_COMPLETE;
}

}  // namespace mkmd::vendor
