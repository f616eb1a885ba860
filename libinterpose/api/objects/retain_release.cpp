// SPDX-License-Identifier: Apache-2.0
// clRetain* and clRelease* of every kind of object. Three kinds have something to do when the program
// releases them for good. A queue has its commands flushed. A memory object leaves the kernels it was an
// argument of. A context forgets what was done in it.
#include "libinterpose/api/generated/entry_points.hpp"
#include "libinterpose/capture/runtime.hpp"
#include "libinterpose/objects/registry.hpp"

namespace mkmd::api {

namespace {

template <typename T>
cl_int retain(typename T::Handle handle, cl_int invalid) {
  T* object = object_cast<T>(handle);
  if (object == nullptr || object->program_references() == 0) return invalid;
  object->program_retain();
  return CL_SUCCESS;
}

void last_release(Queue& queue) {
  flush(*queue.context);  // as the specification says of clReleaseCommandQueue
  vendor::table(queue.native.get()).clFlush(queue.native.get());
}
void last_release(Memory& memory) {
  drop_from_kernel_arguments(memory);
}
void last_release(Context& context) {
  if (Runtime* const runtime = runtime_of(context)) runtime->forget_history();
}
template <typename T>
void last_release(T&) {}

template <typename T>
cl_int release(typename T::Handle handle, cl_int invalid) {
  T* object = object_cast<T>(handle);
  const cl_uint had = object != nullptr ? object->program_leave() : 0;
  if (had == 0) return invalid;
  if (had == 1) last_release(*object);
  object->release();
  return CL_SUCCESS;
}

// The virtual device is there for ever: retaining and releasing a root device does nothing.
template <typename Action>
cl_int of_sub_device(cl_device_id handle, Action action) {
  Device* device = object_cast<Device>(handle);
  if (device == nullptr) return CL_INVALID_DEVICE;
  return device->is_virtual ? CL_SUCCESS : action();
}

}  // namespace

cl_int RetainDevice(cl_device_id device) {
  return of_sub_device(device, [&] { return retain<Device>(device, CL_INVALID_DEVICE); });
}
cl_int ReleaseDevice(cl_device_id device) {
  return of_sub_device(device, [&] { return release<Device>(device, CL_INVALID_DEVICE); });
}
cl_int RetainDeviceEXT(cl_device_id device) {
  return RetainDevice(device);
}
cl_int ReleaseDeviceEXT(cl_device_id device) {
  return ReleaseDevice(device);
}

cl_int RetainContext(cl_context context) {
  return retain<Context>(context, CL_INVALID_CONTEXT);
}
cl_int ReleaseContext(cl_context context) {
  return release<Context>(context, CL_INVALID_CONTEXT);
}

cl_int RetainCommandQueue(cl_command_queue queue) {
  return retain<Queue>(queue, CL_INVALID_COMMAND_QUEUE);
}
cl_int ReleaseCommandQueue(cl_command_queue queue) {
  return release<Queue>(queue, CL_INVALID_COMMAND_QUEUE);
}

cl_int RetainMemObject(cl_mem memobj) {
  return retain<Memory>(memobj, CL_INVALID_MEM_OBJECT);
}
cl_int ReleaseMemObject(cl_mem memobj) {
  return release<Memory>(memobj, CL_INVALID_MEM_OBJECT);
}

cl_int RetainSampler(cl_sampler sampler) {
  return retain<Sampler>(sampler, CL_INVALID_SAMPLER);
}
cl_int ReleaseSampler(cl_sampler sampler) {
  return release<Sampler>(sampler, CL_INVALID_SAMPLER);
}

cl_int RetainProgram(cl_program program) {
  return retain<Program>(program, CL_INVALID_PROGRAM);
}
cl_int ReleaseProgram(cl_program program) {
  return release<Program>(program, CL_INVALID_PROGRAM);
}

cl_int RetainKernel(cl_kernel kernel) {
  return retain<Kernel>(kernel, CL_INVALID_KERNEL);
}
cl_int ReleaseKernel(cl_kernel kernel) {
  return release<Kernel>(kernel, CL_INVALID_KERNEL);
}

cl_int RetainEvent(cl_event event) {
  return retain<Event>(event, CL_INVALID_EVENT);
}
cl_int ReleaseEvent(cl_event event) {
  return release<Event>(event, CL_INVALID_EVENT);
}

}  // namespace mkmd::api
