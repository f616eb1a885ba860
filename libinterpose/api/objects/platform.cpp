// SPDX-License-Identifier: Apache-2.0
// The platform, the functions by name, and the entrance of an ICD vendor library.
#include "libinterpose/api/objects/platform.hpp"
#include "libinterpose/api/door.hpp"
#include "libinterpose/api/extensions.hpp"
#include "libinterpose/api/generated/entry_points.hpp"
#include "libinterpose/api/vendor_call.hpp"
#include "libinterpose/api/write_info.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>

namespace mkmd::api {

namespace {

// ocl-icd puts the platform with most GPUs first, then that with most CPUs, then that with most devices.
std::array<cl_uint, 3> devices_by_type(const vendor::Platform& platform) {
  std::array<cl_uint, 3> counts{};
  constexpr cl_device_type kTypes[] = {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_ALL};
  for (size_t i = 0; i < counts.size(); ++i)
    vendor_call<&cl_icd_dispatch::clGetDeviceIDs>(platform.id, kTypes[i], cl_uint{0},
                                                  static_cast<cl_device_id*>(nullptr), &counts[i]);
  return counts;
}

std::vector<vendor::Platform> as_the_loader_orders(std::vector<vendor::Platform> platforms) {
  const char* order = secure_getenv("OCL_ICD_PLATFORM_SORT");
  if (order == nullptr || std::strcmp(order, "none") != 0)
    std::ranges::stable_sort(platforms, std::greater{}, devices_by_type);
  return platforms;
}

// MKMD_ENABLE=0: the program gets the vendors' own handles, and its calls go past us by themselves
// (door.hpp). Many programs take the first platform.
const std::vector<vendor::Platform>& untouched_platforms() {
  static const auto* platforms =
      new std::vector<vendor::Platform>(as_the_loader_orders(vendor::find_platforms()));
  return *platforms;
}

}  // namespace

Platform* our_platform() {
  return process_starting() ? nullptr : process().platform;
}

cl_platform_id default_vendor_platform() {
  if (process_starting() || process().configuration.settings.enabled || untouched_platforms().empty())
    return nullptr;
  return untouched_platforms().front().id;
}

cl_int GetPlatformIDs(cl_uint num_entries, cl_platform_id* platforms, cl_uint* num_platforms) {
  if (process_starting()) {  // a vendor that is being loaded asks for itself
    const auto own = reinterpret_cast<decltype(&clGetPlatformIDs)>(
        vendor::function_of_library_being_loaded("clGetPlatformIDs"));
    if (own != nullptr && own != &clGetPlatformIDs) return own(num_entries, platforms, num_platforms);
  }
  if ((platforms == nullptr && num_platforms == nullptr) || (platforms != nullptr && num_entries == 0)) {
    return CL_INVALID_VALUE;
  }
  std::vector<cl_platform_id> found;
  if (!process_starting()) {
    if (!process().configuration.settings.enabled) {
      for (const vendor::Platform& platform : untouched_platforms())
        found.push_back(platform.id);
    } else if (process().platform != nullptr) {
      found.push_back(process().platform->handle());
    }
  }
  if (num_platforms != nullptr) *num_platforms = static_cast<cl_uint>(found.size());
  if (found.empty()) return CL_PLATFORM_NOT_FOUND_KHR;
  if (platforms != nullptr)
    std::copy_n(found.begin(), std::min<size_t>(num_entries, found.size()), platforms);
  return CL_SUCCESS;
}

cl_int GetPlatformInfo(cl_platform_id platform, cl_platform_info param_name, size_t param_value_size,
                       void* param_value, size_t* param_value_size_ret) {
  const InfoTarget target{param_value_size, param_value, param_value_size_ret};
  if (cl_platform_id untouched = default_vendor_platform(); platform == nullptr && untouched != nullptr) {
    return vendor_call<&cl_icd_dispatch::clGetPlatformInfo>(untouched, param_name, param_value_size,
                                                            param_value, param_value_size_ret);
  }
  const Platform* ours = platform == nullptr ? our_platform() : object_cast<Platform>(platform);
  if (ours == nullptr) return CL_INVALID_PLATFORM;
  const auto ask = [&](size_t size, void* value, size_t* size_ret) {
    return vendor_call<&cl_icd_dispatch::clGetPlatformInfo>(ours->home, param_name, size, value, size_ret);
  };
  if (param_name == CL_PLATFORM_EXTENSIONS) {
    return write_info(target, served_only(vendor::platform_string(ours->home, param_name)));
  }
  if (param_name == CL_PLATFORM_EXTENSIONS_WITH_VERSION) {
    std::vector<cl_name_version> list;
    if (const cl_int error = read_list(list, ask); error != CL_SUCCESS) return error;
    return write_info(target, served_only(std::move(list)));
  }
  return ask(param_value_size, param_value, param_value_size_ret);
}

void* GetExtensionFunctionAddress(const char* function_name) {
  if (function_name == nullptr) return nullptr;
  if (void* function = find_entry_point(function_name); function != nullptr) return function;
  if (std::strcmp(function_name, "clIcdGetPlatformIDsKHR") == 0) {
    return reinterpret_cast<void*>(&clIcdGetPlatformIDsKHR);
  }
  if (void* function = extension_function(function_name); function != nullptr) return function;
  // Nothing else: a vendor's function would be handed our handles.
  const cl_platform_id untouched = default_vendor_platform();
  return untouched != nullptr ? vendor::extension_function(untouched, function_name) : nullptr;
}

void* GetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char* func_name) {
  return object_cast<Platform>(platform) != nullptr ? GetExtensionFunctionAddress(func_name) : nullptr;
}

cl_int UnloadCompiler() {
  return CL_SUCCESS;
}

cl_int UnloadPlatformCompiler(cl_platform_id platform) {
  const Platform* ours = object_cast<Platform>(platform);
  if (ours == nullptr) return CL_INVALID_PLATFORM;
  return vendor_call<&cl_icd_dispatch::clUnloadPlatformCompiler>(ours->home);
}

}  // namespace mkmd::api

// For a loader that was given us as a vendor. Not in the table, so not generated.
extern "C" MKMD_EXPORT cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries,
                                                                 cl_platform_id* platforms,
                                                                 cl_uint* num_platforms) {
  return mkmd::door::returning_status<&cl_icd_dispatch::clGetPlatformIDs, mkmd::api::GetPlatformIDs>(
      nullptr, num_entries, platforms, num_platforms);
}
