// SPDX-License-Identifier: Apache-2.0
/* Opens the OpenCL library named on the command line with dlopen, as hashcat, ffmpeg and many others do,
   and takes every function by dlsym. It is not linked with libOpenCL. */
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define LOAD(name)                                                                                           \
  __typeof__(&name) p_##name = (__typeof__(&name))dlsym(library, #name);                                     \
  if (!p_##name) {                                                                                           \
    printf("no %s\n", #name);                                                                                \
    return 1;                                                                                                \
  }

static const char* source = "__kernel void squares(__global int* out) { int i = get_global_id(0); "
                            "int x = i; for (int k = 0; k < 50; ++k) x = x * x + k; out[i] = x; }";

int main(int argc, char** argv) {
  void* library = dlopen(argc > 1 ? argv[1] : "libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    printf("cannot open the library\n");
    return 1;
  }
  LOAD(clGetPlatformIDs)
  LOAD(clGetDeviceIDs)
  LOAD(clCreateContext)
  LOAD(clCreateCommandQueue)
  LOAD(clCreateProgramWithSource)
  LOAD(clBuildProgram)
  LOAD(clCreateKernel)
  LOAD(clCreateBuffer)
  LOAD(clSetKernelArg)
  LOAD(clEnqueueNDRangeKernel)
  LOAD(clEnqueueReadBuffer)
  LOAD(clReleaseMemObject)
  LOAD(clReleaseContext)
  cl_platform_id platform;
  cl_device_id device;
  cl_int error;
  cl_uint platforms = 0;
  if (p_clGetPlatformIDs(1, &platform, &platforms) ||
      p_clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
    return 2;
  cl_context context = p_clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  if (error) return 3;
  cl_command_queue queue = p_clCreateCommandQueue(context, device, 0, &error);
  if (error) return 4;
  cl_program program = p_clCreateProgramWithSource(context, 1, &source, NULL, &error);
  if (error || p_clBuildProgram(program, 1, &device, "", NULL, NULL)) return 5;
  cl_kernel kernel = p_clCreateKernel(program, "squares", &error);
  if (error) return 6;
  enum { count = 262144 };
  cl_mem buffer = p_clCreateBuffer(context, CL_MEM_WRITE_ONLY, count * sizeof(int), NULL, &error);
  if (error || p_clSetKernelArg(kernel, 0, sizeof(buffer), &buffer)) return 7;
  size_t global = count;
  if (p_clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL)) return 8;
  int* result = malloc(count * sizeof(int));
  if (p_clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, count * sizeof(int), result, 0, NULL, NULL)) return 9;
  unsigned hash = 2166136261u;
  for (int i = 0; i < count; ++i)
    hash = (hash ^ (unsigned)result[i]) * 16777619u;
  printf("squares: %08x\n", hash);
  free(result);
  p_clReleaseMemObject(buffer);
  p_clReleaseContext(context);
  dlclose(library);
  return 0;
}
