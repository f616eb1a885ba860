// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/vendor/careful.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace mkmd::vendor {

cl_int finish_carefully(cl_command_queue queue) {
  const auto& table = vendor::table(queue);
  const cl_int status = try_again([&] { return table.clFinish(queue); });
  if (status == CL_SUCCESS) return status;
  cl_event event = nullptr;
  if (table.clEnqueueMarkerWithWaitList(queue, 0, nullptr, &event) != CL_SUCCESS) return status;
  const vendor::Owned<cl_event> marker(event);
  table.clFlush(queue);
  return table.clWaitForEvents(1, &event) == CL_SUCCESS ? CL_SUCCESS : status;
}

std::optional<cl_int> await_event(cl_event event, cl_command_queue queue) {
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
