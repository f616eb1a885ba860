// SPDX-License-Identifier: Apache-2.0
// One OpenCL device with an in-order queue, the program that is built for it, its kernels and its buffers. It
// uses OpenCL as any program would and knows of no layer below it.
#pragma once

#include <CL/cl.h>

#include <map>
#include <string>
#include <vector>

// Ends the program with exit code 1 and the failed call: a benchmark has nothing better to do.
#define CL_CHECK(call) bench::check_cl((call), #call, __FILE__, __LINE__)

namespace bench {

void check_cl(cl_int code, const char* call, const char* file, int line);

// A device buffer of floats, or of ints, which are as long.
struct Buffer {
  cl_mem memory = nullptr;
  size_t count = 0;
};

// A picture of one float for each point.
struct Image {
  cl_mem memory = nullptr;
  size_t width = 0;
  size_t height = 0;
};

// An argument of __local memory of so many floats or ints.
struct LocalFloats {
  size_t count = 0;
};

class Device {
public:
  explicit Device(const char* source);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  Buffer buffer(size_t count, cl_mem_flags flags);
  Image image(size_t width, size_t height, cl_mem_flags flags);
  void write(const Buffer& to, const void* from);  // without waiting
  void read(const Buffer& from, void* to);
  void copy(const Buffer& from, const Image& to);
  void copy(const Image& from, const Buffer& to);
  void fill(const Buffer& buffer, float value);

  // In groups of `local` work-items, over as many groups as have `count` of them at least.
  template <typename... Args>
  void launch(const char* kernel, const std::vector<size_t>& count, const std::vector<size_t>& local,
              const Args&... args) {
    const cl_kernel handle = kernel_named(kernel);
    cl_uint index = 0;
    (set_arg(handle, index++, args), ...);
    enqueue(handle, count, local);
  }

private:
  cl_kernel kernel_named(const char* name);
  static void set_arg(cl_kernel kernel, cl_uint index, const Buffer& value);
  static void set_arg(cl_kernel kernel, cl_uint index, const Image& value);
  static void set_arg(cl_kernel kernel, cl_uint index, int value);
  static void set_arg(cl_kernel kernel, cl_uint index, float value);
  static void set_arg(cl_kernel kernel, cl_uint index, const LocalFloats& value);
  void enqueue(cl_kernel kernel, const std::vector<size_t>& count, const std::vector<size_t>& local);

  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
  std::map<std::string, cl_kernel> kernels_;
  std::vector<cl_mem> buffers_;
};

}  // namespace bench
