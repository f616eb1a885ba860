// SPDX-License-Identifier: Apache-2.0
// Measures each kernel launch of a program by itself: waits for the command-queue before and after the
// launch. At exit it writes one line of JSON to the file that LAUNCH_TIMES names: launches and seconds of
// each kernel. As a layer it is seen by programs that use the system's OpenCL loader, as a preloaded library
// by those that bring a loader of their own. Build: cc -shared -fPIC -O2 -o launch_times.so launch_times.c
// Use: OPENCL_LAYERS=$PWD/launch_times.so LD_PRELOAD=$PWD/launch_times.so LAUNCH_TIMES=FILE program
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_layer.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kMostKernels = 4096, kMostName = 256 };

static cl_icd_dispatch ours;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
  char name[kMostName];
  unsigned long launches;
  double seconds;
} kernels[kMostKernels];
static int kernels_count;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Every handle of a driver begins with the driver's own functions.
static const cl_icd_dispatch* driver_of(const void* handle) {
  return *(const cl_icd_dispatch* const*)handle;
}

static void write_all(void);

static void add(cl_kernel kernel, double seconds) {
  char name[kMostName] = "";
  driver_of(kernel)->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
  pthread_mutex_lock(&mutex);
  if (kernels_count == 0) atexit(write_all);
  int i = 0;
  while (i < kernels_count && strcmp(kernels[i].name, name) != 0)
    ++i;
  if (i == kernels_count && i < kMostKernels) strcpy(kernels[kernels_count++].name, name);
  if (i < kMostKernels) {
    ++kernels[i].launches;
    kernels[i].seconds += seconds;
  }
  pthread_mutex_unlock(&mutex);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
                                                       cl_uint work_dim, const size_t* offset,
                                                       const size_t* global, const size_t* local,
                                                       cl_uint waits, const cl_event* wait_list,
                                                       cl_event* event) {
  if (queue == NULL || kernel == NULL) return CL_INVALID_COMMAND_QUEUE;
  const cl_icd_dispatch* const below = driver_of(queue);
  below->clFinish(queue);
  const double begin = now();
  const cl_int status =
      below->clEnqueueNDRangeKernel(queue, kernel, work_dim, offset, global, local, waits, wait_list, event);
  below->clFinish(queue);
  if (status == CL_SUCCESS) add(kernel, now() - begin);
  return status;
}

static void write_all(void) {
  const char* path = getenv("LAUNCH_TIMES");
  FILE* file = path != NULL && kernels_count > 0 ? fopen(path, "a") : NULL;
  if (file == NULL) return;
  fputc('{', file);
  for (int i = 0; i < kernels_count; ++i)
    fprintf(file, "%s\"%s\": [%lu, %.9f]", i > 0 ? ", " : "", kernels[i].name, kernels[i].launches,
            kernels[i].seconds);
  fputs("}\n", file);
  fclose(file);
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void* value,
                                               size_t* size_ret) {
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  const void* answer = name == CL_LAYER_API_VERSION ? (const void*)&version : "launch_times";
  const size_t bytes = name == CL_LAYER_API_VERSION ? sizeof version : sizeof "launch_times";
  if (name != CL_LAYER_API_VERSION && name != CL_LAYER_NAME) return CL_INVALID_VALUE;
  if (value != NULL && size < bytes) return CL_INVALID_VALUE;
  if (value != NULL) memcpy(value, answer, bytes);
  if (size_ret != NULL) *size_ret = bytes;
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch* target,
                                            cl_uint* entries_ret, const cl_icd_dispatch** dispatch) {
  const size_t bytes = entries * sizeof(void*) < sizeof ours ? entries * sizeof(void*) : sizeof ours;
  memcpy(&ours, target, bytes);
  ours.clEnqueueNDRangeKernel = clEnqueueNDRangeKernel;
  *entries_ret = (cl_uint)(bytes / sizeof(void*));
  *dispatch = &ours;
  return CL_SUCCESS;
}
