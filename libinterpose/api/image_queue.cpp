// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/api/image_queue.hpp"

#include "libinterpose/process.hpp"

namespace mkmd::api {

cl_command_queue whole_device_queue(Queue& queue) {
  const vendor::Device& home = process().devices.front();
  if (home.parent == nullptr || !queue.device->is_virtual || !home.name.starts_with("pocl")) return nullptr;
  std::call_once(queue.whole_once, [&] {
    cl_int error = CL_SUCCESS;
    const cl_context context = queue.context->native.get();
    queue.whole = vendor::Owned<cl_command_queue>(
        vendor::table(context).clCreateCommandQueue(context, home.parent, queue.properties, &error));
  });
  return queue.whole.get();
}

}  // namespace mkmd::api
