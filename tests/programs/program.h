// SPDX-License-Identifier: Apache-2.0
// Shorthand for the test programs: opening a device, building, buffers, launches, and printing hashes. The
// programs behave like strangers' programs. They use OpenCL only, and know nothing of a layer. They print
// nothing that changes from run to run (no times, addresses or device names).
#pragma once

#include <CL/cl.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

// Prints a call and the code it gives; the other is for calls that put theirs into `error` and give an
// object.
#define SHOW(call) std::printf("%s: %d\n", #call, int(call))
#define SHOW_CREATE(call)                                                                                    \
  do {                                                                                                       \
    error = 12345;                                                                                           \
    const void* created = call;                                                                              \
    std::printf("%s: %d %s\n", #call, error, created ? "created" : "null");                                  \
  } while (false)

#define CL_CHECK(call) check_cl((call), #call, __FILE__, __LINE__)

inline void check_cl(cl_int code, const char* call, const char* file, int line) {
  if (code == CL_SUCCESS) return;
  const char* name = std::strrchr(file, '/');
  std::printf("%s:%d: error %d in %s\n", name ? name + 1 : file, line, code, call);
  std::fflush(stdout);
  std::exit(99);  // never a result: the runner takes it as a failure of the bare run
}

struct Cl {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
};

inline cl_command_queue new_queue(const Cl& cl, cl_command_queue_properties properties = 0) {
  cl_int error = CL_SUCCESS;
  const cl_command_queue queue = clCreateCommandQueue(cl.context, cl.device, properties, &error);
  CL_CHECK(error);
  return queue;
}

inline Cl open_cl(cl_command_queue_properties properties = 0) {
  Cl cl;
  CL_CHECK(clGetPlatformIDs(1, &cl.platform, nullptr));
  CL_CHECK(clGetDeviceIDs(cl.platform, CL_DEVICE_TYPE_ALL, 1, &cl.device, nullptr));
  cl_int error = CL_SUCCESS;
  cl.context = clCreateContext(nullptr, 1, &cl.device, nullptr, nullptr, &error);
  CL_CHECK(error);
  cl.queue = new_queue(cl, properties);
  return cl;
}

inline void close_cl(const Cl& cl) {
  CL_CHECK(clReleaseCommandQueue(cl.queue));
  CL_CHECK(clReleaseContext(cl.context));
}

// Says it, too: without images, a program that needs them has nothing else to print.
inline bool has_images(const Cl& cl) {
  cl_bool supported = CL_FALSE;
  CL_CHECK(clGetDeviceInfo(cl.device, CL_DEVICE_IMAGE_SUPPORT, sizeof(supported), &supported, nullptr));
  std::printf("images %u\n", supported);
  return supported != CL_FALSE;
}

inline cl_program build(const Cl& cl, const char* source, const char* options = "") {
  cl_int error = CL_SUCCESS;
  const cl_program program = clCreateProgramWithSource(cl.context, 1, &source, nullptr, &error);
  CL_CHECK(error);
  CL_CHECK(clBuildProgram(program, 1, &cl.device, options, nullptr, nullptr));
  return program;
}

inline cl_kernel kernel_of(cl_program program, const char* name) {
  cl_int error = CL_SUCCESS;
  const cl_kernel kernel = clCreateKernel(program, name, &error);
  CL_CHECK(error);
  return kernel;
}

inline cl_mem new_buffer(const Cl& cl, size_t bytes, cl_mem_flags flags = CL_MEM_READ_WRITE,
                         void* host = nullptr) {
  cl_int error = CL_SUCCESS;
  const cl_mem memory = clCreateBuffer(cl.context, flags, bytes, host, &error);
  CL_CHECK(error);
  return memory;
}

template <typename T>
cl_mem buffer_of(const Cl& cl, const std::vector<T>& values, cl_mem_flags flags = CL_MEM_READ_WRITE) {
  return new_buffer(cl, values.size() * sizeof(T), flags | CL_MEM_COPY_HOST_PTR,
                    const_cast<T*>(values.data()));
}

// Bytes [origin, origin + size) of a buffer.
inline cl_mem part(cl_mem buffer, size_t origin, size_t size, cl_mem_flags flags = CL_MEM_READ_WRITE) {
  const cl_buffer_region region = {origin, size};
  cl_int error = CL_SUCCESS;
  const cl_mem memory = clCreateSubBuffer(buffer, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
  CL_CHECK(error);
  return memory;
}

template <typename T>
std::vector<T> read(const Cl& cl, cl_mem memory, size_t count) {
  std::vector<T> values(count);
  CL_CHECK(clEnqueueReadBuffer(cl.queue, memory, CL_TRUE, 0, count * sizeof(T), values.data(), 0, nullptr,
                               nullptr));
  return values;
}

struct Local {
  size_t bytes;
};

template <typename T>
void set_arg(cl_kernel kernel, cl_uint index, const T& value) {
  if constexpr (std::is_same_v<T, Local>)
    CL_CHECK(clSetKernelArg(kernel, index, value.bytes, nullptr));
  else
    CL_CHECK(clSetKernelArg(kernel, index, sizeof(value), &value));
}

template <typename... Args>
void set_args(cl_kernel kernel, const Args&... args) {
  cl_uint index = 0;
  (set_arg(kernel, index++, args), ...);
}

using Sizes = std::initializer_list<size_t>;

// An empty local size is NULL, an empty offset too.
inline void launch(cl_command_queue queue, cl_kernel kernel, Sizes global, Sizes local = {},
                   Sizes offset = {}) {
  CL_CHECK(clEnqueueNDRangeKernel(queue, kernel, cl_uint(global.size()),
                                  offset.size() ? offset.begin() : nullptr, global.begin(),
                                  local.size() ? local.begin() : nullptr, 0, nullptr, nullptr));
}

inline void launch(const Cl& cl, cl_kernel kernel, Sizes global, Sizes local = {}, Sizes offset = {}) {
  launch(cl.queue, kernel, global, local, offset);
}

// FNV-1a.
inline uint64_t hash_of(const void* data, size_t bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < bytes; ++i)
    hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3u;
  return hash;
}

template <typename T>
void report(const char* name, const std::vector<T>& values) {
  std::printf("%s: %016" PRIx64 "\n", name, hash_of(values.data(), values.size() * sizeof(T)));
}

template <typename T>
void report(const Cl& cl, const char* name, cl_mem memory, size_t count) {
  report(name, read<T>(cl, memory, count));
}

// Reproducible values: small integers, or floats between -1 and 1.
template <typename T>
std::vector<T> noise(size_t count, uint64_t seed) {
  std::vector<T> values(count);
  uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
  for (T& value : values) {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    const uint64_t bits = (state * 0x2545F4914F6CDD1Du) >> 40;
    if constexpr (std::is_floating_point_v<T>)
      value = T(double(bits) / (1 << 23) - 1.0);
    else
      value = T(bits % 1000);
  }
  return values;
}

inline size_t round_up(size_t value, size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// The first argument as a size.
inline size_t size_argument(int argc, char** argv, size_t otherwise) {
  return argc > 1 ? size_t(std::strtoull(argv[1], nullptr, 10)) : otherwise;
}
