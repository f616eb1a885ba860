// SPDX-License-Identifier: Apache-2.0
// A vendor library without platforms that says when it is loaded and when its global is destroyed. The
// destructor calls OpenCL, and unloads a library of its own, as Intel's runtime does.
#include <CL/cl.h>
#include <cstdio>
#include <dlfcn.h>
#include <string>

namespace {

std::string folder() {
  Dl_info self{};
  dladdr(reinterpret_cast<void*>(&folder), &self);
  const std::string path = self.dli_fname;
  return path.substr(0, path.rfind('/') + 1);
}

struct Global {
  Global() {
    std::puts("vendor loaded");
    part = dlopen((folder() + "libexit_order_part.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  ~Global() {
    cl_uint count = 0;
    const cl_int status = clGetPlatformIDs(0, nullptr, &count);
    std::printf("vendor goes: %d, %u platforms\n", status, count);
    if (part != nullptr) dlclose(part);
    std::puts("vendor gone");
  }
  void* part = nullptr;
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
