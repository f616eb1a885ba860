// SPDX-License-Identifier: Apache-2.0
// The virtual device and sub-devices a program makes of it. All answers are the home's but for names and
// handles.
#include "libinterpose/api/extensions.hpp"
#include "libinterpose/api/generated/entry_points.hpp"
#include "libinterpose/api/objects/platform.hpp"
#include "libinterpose/api/vendor_call.hpp"
#include "libinterpose/api/write_info.hpp"

#include <algorithm>

#ifndef MKMD_VERSION
#define MKMD_VERSION "0"
#endif

namespace mkmd::api {

namespace {

std::string virtual_name() {
  const auto& devices = process().configuration.devices;
  std::string name = "MKMD: " + devices.front().device_name;
  if (devices.size() > 1) name += " + " + std::to_string(devices.size() - 1) + " more";
  return name;
}

// `create` is the vendor's slot with everything bound but the last three parameters.
template <typename Create>
cl_int create_sub_devices(Device& parent, cl_uint num_entries, cl_device_id* out_devices,
                          cl_uint* num_devices, Create&& create) {
  cl_uint count = 0;
  if (const cl_int error = create(out_devices != nullptr ? num_entries : 0, out_devices, &count);
      error != CL_SUCCESS) {
    return error;
  }
  if (num_devices != nullptr) *num_devices = count;
  if (out_devices != nullptr) {
    for (cl_uint i = 0; i < std::min(count, num_entries); ++i) {
      out_devices[i] = (new Device(parent.platform, out_devices[i], false, &parent))->handle();
    }
  }
  return CL_SUCCESS;
}

}  // namespace

Device* device_of_type(Platform& platform, cl_device_type type, cl_int& error) {
  cl_uint count = 0;
  error = vendor_call<&cl_icd_dispatch::clGetDeviceIDs>(platform.home, type, cl_uint{0},
                                                        static_cast<cl_device_id*>(nullptr), &count);
  if (error != CL_SUCCESS) return nullptr;
  Device* device = process().device;
  const auto home_type = vendor::device_value<cl_device_type>(device->home, CL_DEVICE_TYPE);
  const bool wanted = (type & (home_type | CL_DEVICE_TYPE_DEFAULT)) != 0;
  error = wanted ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
  return wanted ? device : nullptr;
}

cl_int GetDeviceIDs(cl_platform_id platform, cl_device_type device_type, cl_uint num_entries,
                    cl_device_id* devices, cl_uint* num_devices) {
  if (cl_platform_id untouched = default_vendor_platform(); platform == nullptr && untouched != nullptr) {
    return vendor_call<&cl_icd_dispatch::clGetDeviceIDs>(untouched, device_type, num_entries, devices,
                                                         num_devices);
  }
  Platform* ours = platform == nullptr ? our_platform() : object_cast<Platform>(platform);
  if (ours == nullptr) return CL_INVALID_PLATFORM;
  if ((devices == nullptr && num_devices == nullptr) || (devices != nullptr && num_entries == 0)) {
    return CL_INVALID_VALUE;
  }
  cl_int error = CL_SUCCESS;
  Device* device = device_of_type(*ours, device_type, error);
  if (num_devices != nullptr) *num_devices = device != nullptr ? 1 : 0;
  if (device != nullptr && devices != nullptr) devices[0] = device->handle();
  return error;
}

cl_int GetDeviceInfo(cl_device_id device, cl_device_info param_name, size_t param_value_size,
                     void* param_value, size_t* param_value_size_ret) {
  const InfoTarget target{param_value_size, param_value, param_value_size_ret};
  Device* ours = object_cast<Device>(device);
  if (ours == nullptr) return CL_INVALID_DEVICE;
  const auto ask = [&](size_t size, void* value, size_t* size_ret) {
    return vendor::table(ours->home).clGetDeviceInfo(ours->home, param_name, size, value, size_ret);
  };
  switch (param_name) {
  case CL_DEVICE_PLATFORM:
    return write_info(target, ours->platform->handle());
  case CL_DEVICE_PARENT_DEVICE:
  case CL_DEVICE_PARENT_DEVICE_EXT: {
    const cl_device_id parent = ours->parent ? ours->parent->handle() : nullptr;
    return write_info(target, parent);
  }
  case CL_DEVICE_EXTENSIONS:
    return write_info(target, served_only(vendor::device_string(ours->home, param_name)));
  case CL_DEVICE_EXTENSIONS_WITH_VERSION: {
    std::vector<cl_name_version> list;
    if (const cl_int error = read_list(list, ask); error != CL_SUCCESS) return error;
    return write_info(target, served_only(std::move(list)));
  }
  case CL_DEVICE_REFERENCE_COUNT:
    return write_info(target, ours->is_virtual ? 1u : ours->program_references());
  default:
    break;
  }
  if (ours->is_virtual) {
    switch (param_name) {
    case CL_DEVICE_NAME:
      return write_info(target, virtual_name());
    case CL_DRIVER_VERSION:
      return write_info(target, "mkmd-" MKMD_VERSION " " + vendor::device_string(ours->home, param_name));
    default:
      break;
    }
  }
  return ask(param_value_size, param_value, param_value_size_ret);
}

cl_int CreateSubDevices(cl_device_id in_device, const cl_device_partition_property* properties,
                        cl_uint num_devices, cl_device_id* out_devices, cl_uint* num_devices_ret) {
  Device* device = object_cast<Device>(in_device);
  if (device == nullptr) return CL_INVALID_DEVICE;
  return create_sub_devices(*device, num_devices, out_devices, num_devices_ret,
                            [&](cl_uint entries, cl_device_id* out, cl_uint* count) {
                              return vendor_call<&cl_icd_dispatch::clCreateSubDevices>(
                                  device->home, properties, entries, out, count);
                            });
}

cl_int CreateSubDevicesEXT(cl_device_id in_device, const cl_device_partition_property_ext* properties,
                           cl_uint num_entries, cl_device_id* out_devices, cl_uint* num_devices) {
  Device* device = object_cast<Device>(in_device);
  if (device == nullptr) return CL_INVALID_DEVICE;
  return create_sub_devices(*device, num_entries, out_devices, num_devices,
                            [&](cl_uint entries, cl_device_id* out, cl_uint* count) {
                              return vendor_call<&cl_icd_dispatch::clCreateSubDevicesEXT>(
                                  device->home, properties, entries, out, count);
                            });
}

cl_int GetDeviceAndHostTimer(cl_device_id device, cl_ulong* device_timestamp, cl_ulong* host_timestamp) {
  Device* ours = object_cast<Device>(device);
  if (ours == nullptr) return CL_INVALID_DEVICE;
  return vendor_call<&cl_icd_dispatch::clGetDeviceAndHostTimer>(ours->home, device_timestamp, host_timestamp);
}

cl_int GetHostTimer(cl_device_id device, cl_ulong* host_timestamp) {
  Device* ours = object_cast<Device>(device);
  if (ours == nullptr) return CL_INVALID_DEVICE;
  return vendor_call<&cl_icd_dispatch::clGetHostTimer>(ours->home, host_timestamp);
}

}  // namespace mkmd::api
