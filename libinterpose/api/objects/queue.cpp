// SPDX-License-Identifier: Apache-2.0
// Command-queues: made on the home device, asked about.
#include "libinterpose/api/generated/entry_points.hpp"
#include "libinterpose/api/vendor_call.hpp"
#include "libinterpose/api/write_info.hpp"
#include "libinterpose/process.hpp"

namespace mkmd::api {

namespace {

// Checks the two handles; CL_SUCCESS and the objects, or what is wrong.
cl_int check(cl_context context, cl_device_id device, Context*& our_context, Device*& our_device) {
  our_context = object_cast<Context>(context);
  our_device = object_cast<Device>(device);
  if (our_context == nullptr) return CL_INVALID_CONTEXT;
  return our_device != nullptr ? CL_SUCCESS : CL_INVALID_DEVICE;
}

// Of a queue whose commands the trace measures.
std::vector<cl_queue_properties> with_profiling(const cl_queue_properties* properties) {
  std::vector<cl_queue_properties> list;
  cl_queue_properties flags = 0;
  for (const cl_queue_properties* p = properties; p != nullptr && *p != 0; p += 2) {
    if (p[0] == CL_QUEUE_PROPERTIES)
      flags = p[1];
    else
      list.insert(list.end(), {p[0], p[1]});
  }
  list.insert(list.end(), {CL_QUEUE_PROPERTIES, flags | CL_QUEUE_PROFILING_ENABLE, 0});
  return list;
}

// `create` is called with what the program asks for, or with profiling besides. Null: the driver refuses
// that.
template <typename Create>
vendor::Owned<cl_command_queue> create_traced(const Create& create) {
  if (!process().session->trace.on() || !process().configuration.splits()) return {};
  cl_int ignored = CL_SUCCESS;
  return create(ignored);
}

}  // namespace

cl_command_queue CreateCommandQueue(cl_context context, cl_device_id device,
                                    cl_command_queue_properties properties, cl_int* errcode_ret) {
  Context* our_context = nullptr;
  Device* our_device = nullptr;
  cl_int error = check(context, device, our_context, our_device);
  if (error != CL_SUCCESS) return fail(errcode_ret, error);
  const auto create = [&](cl_command_queue_properties flags, cl_int& status) {
    return vendor_create<&cl_icd_dispatch::clCreateCommandQueue>(status, our_context->native.get(),
                                                                 our_device->home, flags);
  };
  auto native =
      create_traced([&](cl_int& status) { return create(properties | CL_QUEUE_PROFILING_ENABLE, status); });
  const bool traced = static_cast<bool>(native);
  if (!traced) native = create(properties, error);
  if (!native) return fail(errcode_ret, error);
  set_error(errcode_ret, CL_SUCCESS);
  return (new Queue(our_context, our_device, std::move(native), properties, {}, traced))->handle();
}

cl_command_queue CreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                  const cl_queue_properties* properties,
                                                  cl_int* errcode_ret) {
  Context* our_context = nullptr;
  Device* our_device = nullptr;
  cl_int error = check(context, device, our_context, our_device);
  if (error != CL_SUCCESS) return fail(errcode_ret, error);
  const auto create = [&](const cl_queue_properties* of, cl_int& status) {
    return vendor_create<&cl_icd_dispatch::clCreateCommandQueueWithProperties>(
        status, our_context->native.get(), our_device->home, of);
  };
  auto native =
      create_traced([&](cl_int& status) { return create(with_profiling(properties).data(), status); });
  const bool traced = static_cast<bool>(native);
  if (!traced) native = create(properties, error);
  if (!native) return fail(errcode_ret, error);
  cl_command_queue_properties flags = 0;
  std::vector<cl_queue_properties> list;
  for (const cl_queue_properties* p = properties; p != nullptr && *p != 0; p += 2) {
    if (p[0] == CL_QUEUE_PROPERTIES) flags = p[1];
    list.insert(list.end(), {p[0], p[1]});
  }
  if (properties != nullptr) list.push_back(0);
  set_error(errcode_ret, CL_SUCCESS);
  return (new Queue(our_context, our_device, std::move(native), flags, std::move(list), traced))->handle();
}

cl_int GetCommandQueueInfo(cl_command_queue command_queue, cl_command_queue_info param_name,
                           size_t param_value_size, void* param_value, size_t* param_value_size_ret) {
  const InfoTarget target{param_value_size, param_value, param_value_size_ret};
  Queue* queue = object_cast<Queue>(command_queue);
  if (queue == nullptr) return CL_INVALID_COMMAND_QUEUE;
  const cl_command_queue native = queue->native.get();
  switch (param_name) {
  case CL_QUEUE_CONTEXT:
    return write_info(target, queue->context->handle());
  case CL_QUEUE_DEVICE:
    return write_info(target, queue->device->handle());
  case CL_QUEUE_REFERENCE_COUNT:
    return write_info(target, queue->program_references());
  case CL_QUEUE_PROPERTIES:
    if (queue->traced) return write_info(target, queue->properties);
    break;
  case CL_QUEUE_PROPERTIES_ARRAY:
    if (queue->traced) return write_info(target, queue->property_list);
    break;
  case CL_QUEUE_DEVICE_DEFAULT: {
    cl_command_queue chosen = nullptr;
    const cl_int error =
        vendor::table(native).clGetCommandQueueInfo(native, param_name, sizeof chosen, &chosen, nullptr);
    if (error != CL_SUCCESS) return error;
    // Another queue than this one cannot be found from the vendor's handle; no known driver of ours has such
    // queues.
    return write_info(target, chosen == native ? command_queue : cl_command_queue{});
  }
  default:
    break;
  }
  return vendor::table(native).clGetCommandQueueInfo(native, param_name, param_value_size, param_value,
                                                     param_value_size_ret);
}

cl_int SetCommandQueueProperty(cl_command_queue command_queue, cl_command_queue_properties properties,
                               cl_bool enable, cl_command_queue_properties* old_properties) {
  Queue* queue = object_cast<Queue>(command_queue);
  if (queue == nullptr) return CL_INVALID_COMMAND_QUEUE;
  const cl_int error = vendor_call<&cl_icd_dispatch::clSetCommandQueueProperty>(
      queue->native.get(), properties, enable, old_properties);
  if (error == CL_SUCCESS) {
    queue->properties = enable != CL_FALSE ? queue->properties | properties : queue->properties & ~properties;
  }
  return error;
}

cl_int SetDefaultDeviceCommandQueue(cl_context context, cl_device_id device, cl_command_queue command_queue) {
  Context* our_context = nullptr;
  Device* our_device = nullptr;
  if (const cl_int error = check(context, device, our_context, our_device); error != CL_SUCCESS) return error;
  Queue* queue = object_cast<Queue>(command_queue);
  if (queue == nullptr && command_queue != nullptr) return CL_INVALID_COMMAND_QUEUE;
  // Whether no queue at all is wrong depends on what the device can do: its driver says.
  return vendor_call<&cl_icd_dispatch::clSetDefaultDeviceCommandQueue>(
      our_context->native.get(), our_device->home, queue == nullptr ? nullptr : queue->native.get());
}

}  // namespace mkmd::api
