// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/vendor/own_queue.hpp"

#include "libinterpose/vendor/careful.hpp"

namespace mkmd::vendor {

OwnQueue::OwnQueue(cl_context context, cl_device_id device) : device_(device) {
  cl_int error = CL_SUCCESS;
  queue_ = Owned<cl_command_queue>(
      table(context).clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error));
  may_be_lost_ = vendor::may_be_lost(device);
  works_in_host_memory_ = queue_ && vendor::works_in_host_memory(queue_.get());
  const auto platform = device_value<cl_platform_id>(device, CL_DEVICE_PLATFORM);
  computes_in_waiter_ = platform != nullptr &&
                        vendor::computes_in_waiter({platform, platform_string(platform, CL_PLATFORM_NAME)});
}

}  // namespace mkmd::vendor
