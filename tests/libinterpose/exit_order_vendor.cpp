// SPDX-License-Identifier: Apache-2.0
// A vendor library without platforms that says when it is loaded and when its global is destroyed.
#include <CL/cl.h>
#include <cstdio>

namespace {

struct Global {
  Global() { std::puts("vendor loaded"); }
  ~Global() { std::puts("vendor gone"); }
};

}  // namespace

extern "C" __attribute__((visibility("default"))) cl_int
clIcdGetPlatformIDsKHR(cl_uint /*entries*/, cl_platform_id* /*ids*/, cl_uint* count) {
  static const Global global;  // registered late, as LLVM does with many of its globals
  if (count != nullptr) *count = 0;
  return -1001;  // CL_PLATFORM_NOT_FOUND_KHR
}

extern "C" __attribute__((visibility("default"))) void* clGetExtensionFunctionAddress(const char* /*name*/) {
  return nullptr;
}
