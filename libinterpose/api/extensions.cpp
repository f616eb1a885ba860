// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/api/extensions.hpp"

#include "libinterpose/api/commands/command_buffer.hpp"
#include "libinterpose/api/extension_call.hpp"
#include "libinterpose/api/generated/entry_points.hpp"
#include "libinterpose/api/usm.hpp"
#include "libinterpose/api/vendor_call.hpp"
#include "libinterpose/api/write_info.hpp"

#include <algorithm>
#include <array>

namespace mkmd::api {

namespace {

// Extensions whose functions we do not have. A name ending in '*' stands for all that begin so.
constexpr std::string_view kNotServed[] = {
    "cl_khr_command_buffer_*",  // the parts beyond the base extension
    "cl_khr_semaphore",
    "cl_khr_external_memory*",
    "cl_khr_external_semaphore*",
    "cl_khr_terminate_context",
    "cl_khr_suggested_local_work_size",
    "cl_khr_d3d1*",
    "cl_khr_dx9_media_sharing",
    "cl_ext_migrate_memobject",
    "cl_ext_buffer_device_address",
    "cl_ext_image_from_buffer",
    "cl_ext_image_requirements_info",
    "cl_intel_accelerator",
    "cl_intel_create_buffer_with_properties",
    "cl_intel_va_api_media_sharing",
    "cl_intel_sharing_format_query*",
    "cl_intel_d3d*",
    "cl_intel_dx9_media_sharing",
    "cl_intel_command_queue_families",
    "cl_arm_import_memory*",
    "cl_arm_shared_virtual_memory",
    "cl_arm_printf",
    "cl_img_use_gralloc_ptr",
    "cl_img_generate_mipmap",
    "cl_img_mem_properties",
    "cl_nv_create_buffer",
    "cl_nv_d3d*",
    "cl_amd_copy_buffer_p2p",
    "cl_amd_liquid_flash",
    "cl_qcom_*",
    "cl_pocl_svm_rect",
    "cl_pocl_command_buffer*",
};

// What programs that ask about their loader are told: we stand where ocl-icd stood, and answer as it does.
cl_int CL_API_CALL loader_info(cl_uint what, size_t size, void* value, size_t* size_ret) {
  enum : cl_uint { kOpenClVersion = 1, kVersion, kName, kVendor };
  const InfoTarget target{size, value, size_ret};
  switch (what) {
  case kVersion:
    return write_info(target, std::string("2.3.1"));
  case kName:
    return write_info(target, std::string("OpenCL ICD Loader"));
  case kVendor:
    return write_info(target, std::string("OCL Icd free software"));
  case kOpenClVersion:
    return write_info(target, std::string("OpenCL 3.0"));
  default:
    return CL_INVALID_VALUE;
  }
}

cl_int CL_API_CALL set_content_size(cl_mem buffer, cl_mem content_size_buffer) {
  using Function = cl_int(CL_API_CALL*)(cl_mem, cl_mem);
  return guarded([&]() -> cl_int {
    const Memory* memory = object_cast<Memory>(buffer);
    const Memory* content = object_cast<Memory>(content_size_buffer);
    if (memory == nullptr || content == nullptr) return CL_INVALID_MEM_OBJECT;
    const auto function = vendor_function<Function>("clSetContentSizeBufferPoCL");
    return function != nullptr ? function(memory->native.get(), content->native.get()) : CL_INVALID_OPERATION;
  });
}

void* function_in(std::span<const ExtensionFunction> list, const char* name) {
  const auto found = std::ranges::find_if(
      list, [&](const ExtensionFunction& candidate) { return std::strcmp(candidate.name, name) == 0; });
  return found != list.end() ? found->function : nullptr;
}

}  // namespace

void* function_of_home(std::span<const ExtensionFunction> list, const char* name) {
  void* const function = function_in(list, name);
  if (function == nullptr || process_starting() || process().platform == nullptr) return nullptr;
  return vendor_function<void*>(name) != nullptr ? function : nullptr;
}

bool is_served(std::string_view extension) {
  return std::none_of(std::begin(kNotServed), std::end(kNotServed), [&](std::string_view pattern) {
    if (!pattern.ends_with('*')) return extension == pattern;
    pattern.remove_suffix(1);
    return extension.starts_with(pattern);
  });
}

// Keeps the vendor's spacing: only what is left out changes the text.
std::string served_only(const std::string& extensions) {
  std::string kept;
  for (size_t begin = 0; begin < extensions.size();) {
    const size_t end = std::min(extensions.find(' ', begin), extensions.size());
    const size_t next = std::min(end + 1, extensions.size());
    const std::string_view name(extensions.data() + begin, end - begin);
    if (is_served(name)) kept.append(extensions, begin, next - begin);
    begin = next;
  }
  return kept;
}

std::vector<cl_name_version> served_only(std::vector<cl_name_version> extensions) {
  std::erase_if(extensions, [](const cl_name_version& extension) { return !is_served(extension.name); });
  return extensions;
}

void* extension_function(const char* name) {
  static const ExtensionFunction kFunctions[] = {
      {"clGetICDLoaderInfoOCLICD", reinterpret_cast<void*>(&loader_info)},
      // Older names of functions that have become part of OpenCL.
      {"clCreateCommandQueueWithPropertiesKHR", find_entry_point("clCreateCommandQueueWithProperties")},
      {"clCreateProgramWithILKHR", find_entry_point("clCreateProgramWithIL")},
  };
  static const ExtensionFunction kOfHome[] = {
      {"clSetContentSizeBufferPoCL", reinterpret_cast<void*>(&set_content_size)},
  };
  if (void* function = function_in(kFunctions, name); function != nullptr) return function;
  if (void* function = function_of_home(kOfHome, name); function != nullptr) return function;
  if (void* function = usm_function(name); function != nullptr) return function;
  return command_buffer_function(name);
}

}  // namespace mkmd::api
