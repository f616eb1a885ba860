// SPDX-License-Identifier: Apache-2.0
// A driver in front of the one that ONE_CORE_DRIVER names: that one finds one core only while it starts.
// Intel's CPU runtime makes its device from the cores that the calling thread may use then. It has no setting
// for their number that OpenCL shows. Threads that it starts later may use all cores.
// Build: cc -shared -fPIC -O2 -o one_core_driver.so one_core_driver.c
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_icd.h>
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

typedef void*(CL_API_CALL* Address)(const char*);
typedef cl_int(CL_API_CALL* Platforms)(cl_uint, cl_platform_id*, cl_uint*);

static Address address_in_driver;
static Platforms platforms_of_driver;

static const cl_icd_dispatch* functions_of(cl_platform_id platform) {
  return *(const cl_icd_dispatch* const*)platform;
}

static void open_driver(void) {
  const char* name = getenv("ONE_CORE_DRIVER");
  void* driver = name ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (driver) address_in_driver = (Address)dlsym(driver, "clGetExtensionFunctionAddress");
  if (address_in_driver) platforms_of_driver = (Platforms)address_in_driver("clIcdGetPlatformIDsKHR");
}

CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint count, cl_platform_id* platforms,
                                                       cl_uint* found) {
  cpu_set_t all, one;
  if (sched_getaffinity(0, sizeof all, &all) != 0) return CL_OUT_OF_HOST_MEMORY;
  CPU_ZERO(&one);
  for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core)
    if (CPU_ISSET(core, &all)) CPU_SET(core, &one);
  sched_setaffinity(0, sizeof one, &one);
  if (!platforms_of_driver) open_driver();
  const cl_int error = platforms_of_driver ? platforms_of_driver(count, platforms, found) : CL_INVALID_VALUE;
  if (error == CL_SUCCESS && platforms && count > 0) {
    cl_device_id device;
    cl_uint units;
    const cl_icd_dispatch* functions = functions_of(platforms[0]);
    if (functions->clGetDeviceIDs(platforms[0], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS)
      functions->clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
  }
  sched_setaffinity(0, sizeof all, &all);
  return error;
}

// Loaders look for these two by name.
CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t size,
                                                  void* value, size_t* needed) {
  return functions_of(platform)->clGetPlatformInfo(platform, what, size, value, needed);
}

CL_API_ENTRY void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0) return (void*)clIcdGetPlatformIDsKHR;
  return address_in_driver ? address_in_driver(name) : NULL;
}
