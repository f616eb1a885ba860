// SPDX-License-Identifier: Apache-2.0
// Questions to real platforms and devices.
#include "libinterpose/vendor/pocl.hpp"
#include "libinterpose/vendor/vendor.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <sstream>

namespace mkmd::vendor {

namespace {
// `ask(size, value, size_ret)` is a clGet*Info call with its handle and parameter name bound.
template <typename Ask>
std::string string_answer(Ask&& ask) {
  size_t size = 0;
  if (ask(size_t{0}, nullptr, &size) != CL_SUCCESS || size == 0) return {};
  std::string text(size, '\0');
  if (ask(size, text.data(), nullptr) != CL_SUCCESS) return {};
  return text.c_str();  // the answer counts its terminating zero
}
}  // namespace

std::vector<cl_device_id> devices_of(cl_platform_id platform) {
  cl_uint count = 0;
  const cl_icd_dispatch& calls = table(platform);
  if (calls.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_device_id> devices(count);
  if (count == 0 ||
      calls.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr) != CL_SUCCESS) {
    return {};
  }
  return devices;
}

std::string device_string(cl_device_id device, cl_device_info what) {
  return string_answer([&](size_t size, void* value, size_t* size_ret) {
    return table(device).clGetDeviceInfo(device, what, size, value, size_ret);
  });
}

std::string platform_string(cl_platform_id platform, cl_platform_info what) {
  return string_answer([&](size_t size, void* value, size_t* size_ret) {
    return table(platform).clGetPlatformInfo(platform, what, size, value, size_ret);
  });
}

namespace {
bool has_unified_memory(cl_device_id device) {
  return device_value<cl_bool>(device, CL_DEVICE_HOST_UNIFIED_MEMORY) == CL_TRUE;
}
}  // namespace

bool is_host_cpu(cl_device_id device) {
  return (device_value<cl_device_type>(device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0 &&
         has_unified_memory(device);
}

bool works_in_host_memory(cl_command_queue queue) {
  cl_device_id device = nullptr;
  return table(queue).clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr) ==
             CL_SUCCESS &&
         device != nullptr && has_unified_memory(device);
}

std::optional<int> pocl_version(cl_platform_id platform) {
  constexpr std::string_view kName = "PoCL ";  // "OpenCL 3.0 PoCL 3.1+debian  Linux, …"
  const std::string version = platform_string(platform, CL_PLATFORM_VERSION);
  const size_t at = version.find(kName);
  if (at == std::string::npos) return {};
  return std::atoi(version.c_str() + at + kName.size());
}

bool compiles_for_offsets(cl_platform_id platform) {
  return pocl_version(platform).has_value();
}

std::optional<size_t> queues_of_a_program(cl_platform_id platform) {
  const std::optional<int> version = pocl_version(platform);
  if (version && *version < 6) return 2;
  return {};
}

bool has_extension(cl_device_id device, std::string_view name) {
  using Words = std::istream_iterator<std::string>;
  std::istringstream names(device_string(device, CL_DEVICE_EXTENSIONS));
  return std::find(Words(names), Words(), name) != Words();
}

void* extension_function(cl_platform_id platform, const char* name) {
  const cl_icd_dispatch& calls = table(platform);
  if (calls.clGetExtensionFunctionAddressForPlatform != nullptr) {
    return calls.clGetExtensionFunctionAddressForPlatform(platform, name);
  }
  return calls.clGetExtensionFunctionAddress != nullptr ? calls.clGetExtensionFunctionAddress(name) : nullptr;
}

}  // namespace mkmd::vendor
