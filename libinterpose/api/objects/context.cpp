// SPDX-License-Identifier: Apache-2.0
// Contexts. The vendor's context behind one of ours holds more devices than the program knows. It holds all
// those that share the home's memory, so that buffers need not be copied between them.
#include "libinterpose/api/generated/entry_points.hpp"
#include "libinterpose/api/objects/platform.hpp"
#include "libinterpose/api/vendor_call.hpp"
#include "libinterpose/api/write_info.hpp"
#include "libinterpose/capture/runtime.hpp"
#include "libinterpose/process.hpp"

#include "common/log.hpp"

#include <algorithm>

namespace mkmd::api {

namespace {

using Notify = void(CL_CALLBACK*)(const char*, const void*, size_t, void*);

// The program's property list, terminating zero included, and the same for the vendor.
struct Properties {
  std::vector<cl_context_properties> given;
  std::vector<cl_context_properties> native;

  cl_int read(const cl_context_properties* list) {
    if (list == nullptr) return CL_SUCCESS;
    for (; list[0] != 0; list += 2) {
      given.insert(given.end(), {list[0], list[1]});
      native.insert(native.end(), {list[0], list[1]});
      if (list[0] != CL_CONTEXT_PLATFORM) continue;
      const Platform* platform = object_cast<Platform>(reinterpret_cast<cl_platform_id>(list[1]));
      if (platform == nullptr) return CL_INVALID_PLATFORM;
      native.back() = reinterpret_cast<cl_context_properties>(platform->home);
    }
    given.push_back(0);
    native.push_back(0);
    return CL_SUCCESS;
  }
  const cl_context_properties* for_vendor() const { return native.empty() ? nullptr : native.data(); }
};

vendor::Owned<cl_context> create_native(const Properties& properties,
                                        const std::vector<cl_device_id>& devices, Notify notify,
                                        void* user_data, cl_int& error) {
  error = CL_SUCCESS;
  return vendor::Owned<cl_context>(vendor::table(devices.front())
                                       .clCreateContext(properties.for_vendor(),
                                                        static_cast<cl_uint>(devices.size()), devices.data(),
                                                        notify, user_data, &error));
}

cl_context create(Properties properties, std::vector<Ref<Device>> devices, Notify notify, void* user_data,
                  cl_int* errcode_ret) {
  std::vector<cl_device_id> natives;
  for (const Ref<Device>& device : devices)
    natives.push_back(device->home);
  const bool is_virtual = devices.size() == 1 && devices.front()->is_virtual;
  std::vector<cl_device_id> with_helpers = natives;
  if (is_virtual) {
    const Configuration& p = process().configuration;
    for (size_t i = 0; i < p.devices.size() && p.splits(); ++i) {
      const cl_device_id id = p.devices[i].id;  // two emulated devices may be one real one
      if (p.domain[i] == 0 && std::find(with_helpers.begin(), with_helpers.end(), id) == with_helpers.end())
        with_helpers.push_back(id);
    }
  }
  cl_int error = CL_SUCCESS;
  vendor::Owned<cl_context> native = create_native(properties, with_helpers, notify, user_data, error);
  bool plain = false;
  if (!native && with_helpers.size() > natives.size()) {
    native = create_native(properties, natives, notify, user_data, error);
    plain = true;
    if (native)
      log(LogLevel::warning, "a context with all devices cannot be made: it runs on the home device alone");
  }
  if (!native) return fail(errcode_ret, error != CL_SUCCESS ? error : CL_OUT_OF_RESOURCES);

  auto* context = new Context(std::move(native), std::move(devices), std::move(properties.given));
  if (process().configuration.splits() && is_virtual && !plain)
    context->runtime = make_runtime(*context, *process().session);
  set_error(errcode_ret, CL_SUCCESS);
  return context->handle();
}

}  // namespace

cl_context CreateContext(const cl_context_properties* properties, cl_uint num_devices,
                         const cl_device_id* devices, Notify pfn_notify, void* user_data,
                         cl_int* errcode_ret) {
  Properties both;
  if (const cl_int error = both.read(properties); error != CL_SUCCESS) return fail(errcode_ret, error);
  if (devices == nullptr || num_devices == 0) return fail(errcode_ret, CL_INVALID_VALUE);
  std::vector<Ref<Device>> ours;
  for (cl_uint i = 0; i < num_devices; ++i) {
    const Ref<Device> device(object_cast<Device>(devices[i]));
    if (!device) return fail(errcode_ret, CL_INVALID_DEVICE);
    if (std::find(ours.begin(), ours.end(), device) == ours.end()) ours.push_back(device);
  }
  return create(std::move(both), std::move(ours), pfn_notify, user_data, errcode_ret);
}

cl_context CreateContextFromType(const cl_context_properties* properties, cl_device_type device_type,
                                 Notify pfn_notify, void* user_data, cl_int* errcode_ret) {
  if (cl_platform_id untouched = default_vendor_platform(); untouched != nullptr) {
    return vendor::table(untouched).clCreateContextFromType(properties, device_type, pfn_notify, user_data,
                                                            errcode_ret);
  }
  Properties both;
  if (const cl_int error = both.read(properties); error != CL_SUCCESS) return fail(errcode_ret, error);
  Platform* platform = our_platform();
  if (platform == nullptr) return fail(errcode_ret, CL_INVALID_PLATFORM);
  cl_int error = CL_SUCCESS;
  Device* device = device_of_type(*platform, device_type, error);
  if (device == nullptr) return fail(errcode_ret, error);
  return create(std::move(both), {Ref<Device>(device)}, pfn_notify, user_data, errcode_ret);
}

cl_int GetContextInfo(cl_context context, cl_context_info param_name, size_t param_value_size,
                      void* param_value, size_t* param_value_size_ret) {
  const InfoTarget target{param_value_size, param_value, param_value_size_ret};
  Context* ours = object_cast<Context>(context);
  if (ours == nullptr) return CL_INVALID_CONTEXT;
  switch (param_name) {
  case CL_CONTEXT_REFERENCE_COUNT:
    return write_info(target, ours->program_references());
  case CL_CONTEXT_NUM_DEVICES:
    return write_info(target, static_cast<cl_uint>(ours->devices.size()));
  case CL_CONTEXT_DEVICES: {
    std::vector<cl_device_id> handles;
    for (const Ref<Device>& device : ours->devices)
      handles.push_back(device->handle());
    return write_info(target, handles);
  }
  case CL_CONTEXT_PROPERTIES:
    return write_info(target, ours->properties);
  default:
    return vendor_call<&cl_icd_dispatch::clGetContextInfo>(ours->native.get(), param_name, param_value_size,
                                                           param_value, param_value_size_ret);
  }
}

cl_int SetContextDestructorCallback(cl_context context, void(CL_CALLBACK* pfn_notify)(cl_context, void*),
                                    void* user_data) {
  Context* ours = object_cast<Context>(context);
  if (ours == nullptr) return CL_INVALID_CONTEXT;
  if (pfn_notify == nullptr) return CL_INVALID_VALUE;
  Farewell<cl_context> farewell(context, pfn_notify, user_data);
  const cl_int error = vendor_call<&cl_icd_dispatch::clSetContextDestructorCallback>(
      ours->native.get(), &Farewell<cl_context>::function, farewell.data());
  if (error == CL_SUCCESS) farewell.taken();
  return error;
}

}  // namespace mkmd::api
