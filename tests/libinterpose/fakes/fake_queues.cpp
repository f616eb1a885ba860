// SPDX-License-Identifier: Apache-2.0
// The fake driver's contexts and command-queues.
#include "tests/libinterpose/fakes/fake_table.hpp"

namespace mkmd::fake {

cl_context create_context(const cl_context_properties*, cl_uint count, const cl_device_id* devices,
                          void(CL_CALLBACK*)(const char*, const void*, size_t, void*), void*, cl_int* error) {
  Context* const made = make<Context>();
  for (cl_uint i = 0; i < count; ++i)
    made->devices.push_back(&as<Device>(devices[i]));
  if (error != nullptr) *error = CL_SUCCESS;
  return handle_of<cl_context>(made);
}

cl_command_queue create_queue(cl_context context, cl_device_id device, cl_command_queue_properties,
                              cl_int* error) {
  if (as<Device>(device).is_mute()) {
    Driver::current->never_return();
    return nullptr;
  }
  Queue* const made = make<Queue>();
  made->context = &as<Context>(context);
  made->device = &as<Device>(device);
  Driver::current->queues.push_back(made);
  if (error != nullptr) *error = CL_SUCCESS;
  return handle_of<cl_command_queue>(made);
}

cl_int release_queue(cl_command_queue handle) {
  Queue* const queue = &as<Queue>(handle);
  if (queue->references == 1) {
    if (!queue->device->is_gone() && !queue->device->is_mute()) Driver::current->finish(*queue);
    std::erase(Driver::current->queues, queue);
  }
  return release<Queue>(handle);
}

}  // namespace mkmd::fake
