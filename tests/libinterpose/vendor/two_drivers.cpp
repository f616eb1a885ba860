// SPDX-License-Identifier: Apache-2.0
// A vendor library with two platforms, rusticl's and NVIDIA's, which both offer one GPU. Each says in its own
// way where that is on the PCI bus. Nothing can be run on it.
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>
#include <cstdlib>
#include <cstring>
#include <string>

struct _cl_platform_id {
  const cl_icd_dispatch* table;
  const char* name;
};
struct _cl_device_id {
  const cl_icd_dispatch* table;
  _cl_platform_id* platform;
};

namespace {

constexpr cl_uint kBus = 3, kDevice = 1, kFunction = 2;
constexpr cl_device_info kNvBus = 0x4008, kNvSlot = 0x4009, kNvDomain = 0x400A;

const cl_icd_dispatch& calls();

_cl_platform_id* platforms() {
  static _cl_platform_id both[2] = {{&calls(), "rusticl"}, {&calls(), "NVIDIA CUDA"}};
  return both;
}

_cl_device_id* devices() {
  static _cl_device_id both[2] = {{&calls(), &platforms()[0]}, {&calls(), &platforms()[1]}};
  return both;
}

cl_int answer(const void* value, size_t has, size_t size, void* out, size_t* size_ret) {
  if (size_ret != nullptr) *size_ret = has;
  if (out == nullptr) return CL_SUCCESS;
  if (size < has) return CL_INVALID_VALUE;
  std::memcpy(out, value, has);
  return CL_SUCCESS;
}

template <typename T>
cl_int answer(T value, size_t size, void* out, size_t* size_ret) {
  return answer(&value, sizeof value, size, out, size_ret);
}

cl_int answer(const char* text, size_t size, void* out, size_t* size_ret) {
  return answer(text, std::strlen(text) + 1, size, out, size_ret);
}

cl_int platform_ids(cl_uint entries, cl_platform_id* ids, cl_uint* count) {
  if (count != nullptr) *count = 2;
  for (cl_uint i = 0; ids != nullptr && i < 2 && i < entries; ++i)
    ids[i] = &platforms()[i];
  return CL_SUCCESS;
}

cl_int platform_info(cl_platform_id platform, cl_platform_info what, size_t size, void* out, size_t* ret) {
  switch (what) {
  case CL_PLATFORM_NAME:
    return answer(platform->name, size, out, ret);
  case CL_PLATFORM_VERSION:
    return answer("OpenCL 3.0", size, out, ret);
  case CL_PLATFORM_EXTENSIONS:
    return answer("cl_khr_icd", size, out, ret);
  case CL_PLATFORM_ICD_SUFFIX_KHR:
    return answer("TWO", size, out, ret);
  default:
    return answer("", size, out, ret);
  }
}

cl_int device_ids(cl_platform_id platform, cl_device_type, cl_uint entries, cl_device_id* ids,
                  cl_uint* count) {
  if (count != nullptr) *count = 1;
  if (ids != nullptr && entries > 0) ids[0] = &devices()[platform - platforms()];
  return CL_SUCCESS;
}

cl_int address(bool nvidia, cl_device_info what, size_t size, void* out, size_t* ret) {
  if (!nvidia && what == CL_DEVICE_PCI_BUS_INFO_KHR)
    return answer(cl_device_pci_bus_info_khr{0, kBus, kDevice, kFunction}, size, out, ret);
  if (nvidia && what == kNvBus) return answer(kBus, size, out, ret);
  if (nvidia && what == kNvSlot) return answer(cl_uint{kDevice << 3 | kFunction}, size, out, ret);
  if (nvidia && what == kNvDomain) return answer(cl_uint{0}, size, out, ret);
  return CL_INVALID_VALUE;
}

cl_int device_info(cl_device_id device, cl_device_info what, size_t size, void* out, size_t* ret) {
  const bool nvidia = device == &devices()[1];
  switch (what) {
  case CL_DEVICE_TYPE:
    return answer(cl_device_type{CL_DEVICE_TYPE_GPU}, size, out, ret);
  case CL_DEVICE_AVAILABLE:
    return answer(cl_bool{CL_TRUE}, size, out, ret);
  case CL_DEVICE_NAME:
    return answer("one GPU", size, out, ret);
  case CL_DEVICE_EXTENSIONS:
    return answer(nvidia ? "cl_nv_device_attribute_query" : "cl_khr_pci_bus_info", size, out, ret);
  case CL_DEVICE_PLATFORM:
    return answer(device->platform, size, out, ret);
  case CL_DEVICE_MAX_COMPUTE_UNITS:
  case CL_DEVICE_MAX_CLOCK_FREQUENCY:
    return answer(cl_uint{100}, size, out, ret);
  default:
    return address(nvidia, what, size, out, ret);
  }
}

const cl_icd_dispatch& calls() {
  static const cl_icd_dispatch table = [] {
    cl_icd_dispatch made{};
    made.clGetPlatformIDs = platform_ids;
    made.clGetPlatformInfo = platform_info;
    made.clGetDeviceIDs = device_ids;
    made.clGetDeviceInfo = device_info;
    return made;
  }();
  return table;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) cl_int
clIcdGetPlatformIDsKHR(cl_uint entries, cl_platform_id* ids, cl_uint* count) {
  return platform_ids(entries, ids, count);
}

extern "C" __attribute__((visibility("default"))) void* clGetExtensionFunctionAddress(const char* name) {
  return std::strcmp(name, "clIcdGetPlatformIDsKHR") == 0 ? reinterpret_cast<void*>(&clIcdGetPlatformIDsKHR)
                                                          : nullptr;
}
