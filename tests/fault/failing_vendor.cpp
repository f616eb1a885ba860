// SPDX-License-Identifier: Apache-2.0
// The library $POCL, but the $FAILING_MAP-th time that a buffer is mapped to be overwritten, counted from 1,
// it is out of memory: so transfers between memories fail, as they do with drivers that allocate at the first
// use.
#include <CL/cl_icd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace {

decltype(cl_icd_dispatch::clEnqueueMapBuffer) map_buffer = nullptr;

void* CL_API_CALL failing_map_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                     cl_map_flags flags, size_t offset, size_t size, cl_uint count,
                                     const cl_event* waits, cl_event* event, cl_int* status) {
  static std::atomic<int> left{std::atoi(std::getenv("FAILING_MAP"))};
  if (flags == CL_MAP_WRITE_INVALIDATE_REGION && --left == 0) {
    if (status != nullptr) *status = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return nullptr;
  }
  return map_buffer(queue, buffer, blocking, flags, offset, size, count, waits, event, status);
}

// What PoCL exports, or has behind its extension function.
template <typename Function>
Function of_pocl(const char* name) {
  static void* const library = dlopen(std::getenv("POCL"), RTLD_NOW | RTLD_LOCAL);
  if (void* const exported = dlsym(library, name)) return reinterpret_cast<Function>(exported);
  using Get = void* (*)(const char*);
  const auto get = reinterpret_cast<Get>(dlsym(library, "clGetExtensionFunctionAddress"));
  return reinterpret_cast<Function>(get(name));
}

void patch(cl_icd_dispatch& table) {
  if (map_buffer != nullptr) return;
  map_buffer = table.clEnqueueMapBuffer;
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(&table) / page * page;
  mprotect(reinterpret_cast<void*>(begin), reinterpret_cast<uintptr_t>(&table + 1) - begin,
           PROT_READ | PROT_WRITE);
  table.clEnqueueMapBuffer = failing_map_buffer;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) cl_int
clIcdGetPlatformIDsKHR(cl_uint entries, cl_platform_id* ids, cl_uint* count) {
  using Get = cl_int (*)(cl_uint, cl_platform_id*, cl_uint*);
  const cl_int status = of_pocl<Get>("clIcdGetPlatformIDsKHR")(entries, ids, count);
  if (status == CL_SUCCESS && ids != nullptr) patch(**reinterpret_cast<cl_icd_dispatch**>(ids[0]));
  return status;
}

extern "C" __attribute__((visibility("default"))) void* clGetExtensionFunctionAddress(const char* name) {
  return of_pocl<void*>(name);
}
