// SPDX-License-Identifier: Apache-2.0
// What the benchmark programs share: arguments, one OpenCL device with an in-order queue, inputs, the
// operations of kernels.cl, timing, checksum and check. It uses OpenCL as any program would and knows of no
// layer below it. Each program states what it computes twice: as enqueued operations, and in double
// precision for --check (reference.h). Start reading at any program: stein.cpp is one of the matrix
// equations, sobel.cpp has a kernel of its own.
#pragma once

#include "reference.h"

#include <CL/cl.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

// Ends the program with exit code 1 and the failed call: a benchmark has nothing better to do.
#define CL_CHECK(call) bench::check_cl((call), #call, __FILE__, __LINE__)

namespace bench {

void check_cl(cl_int code, const char* call, const char* file, int line);

struct Options {
  int size = 1024;
  int repeat = 3;
  int iterations = 0;  // 0: the program does not iterate and has no --iters
  int group = 0;       // side of the work-groups; 0: they are fixed and there is no --group
  bool check = false;
};

// A small, fast, reproducible generator (xorshift64*).
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
  float uniform(float low, float high);

private:
  uint64_t state_;
};

// A device buffer of floats.
struct Buffer {
  cl_mem memory = nullptr;
  size_t count = 0;
};

// A device buffer filled by the program, with the host array it is written from.
struct Input : Buffer {
  std::vector<float> host;
  std::function<void(std::vector<float>&, Random&)> fill;
};

// An argument of __local memory of so many floats.
struct LocalFloats {
  size_t count = 0;
};

class Harness {
public:
  using Fill = std::function<void(std::vector<float>&, Random&)>;

  // Reads the arguments over the defaults and opens the device; exits with 2 when an argument is wrong.
  Harness(int argc, char** argv, Options defaults);
  ~Harness();
  Harness(const Harness&) = delete;
  Harness& operator=(const Harness&) = delete;

  int size() const { return options_.size; }
  int iterations() const { return options_.iterations; }
  int group() const { return options_.group; }
  cl_command_queue queue() const { return queue_; }

  // As the two below, of any number of floats.
  Input& input(size_t count, Fill fill);
  Buffer buffer(size_t count, cl_mem_flags flags = CL_MEM_READ_WRITE);
  // Inputs, written at the start of every repeat with new values. Without a filler the values are such
  // that products of matrices keep the magnitude of their factors.
  Input& input_matrix(Fill fill = nullptr);
  Input& input_vector(Fill fill = nullptr);
  // Intermediate results and outputs.
  Buffer matrix() { return buffer(size_t(size()) * size()); }
  Buffer vector() { return buffer(size_t(size())); }
  Buffer scalar() { return buffer(1); }
  Buffer partial_sums() { return buffer(vector_groups()); }

  void multiply(const Buffer& a, const Buffer& b, const Buffer& c);  // c = a b
  void transpose(const Buffer& in, const Buffer& out);
  void add(const Buffer& a, const Buffer& b, const Buffer& c);       // any equal shapes
  void subtract(const Buffer& a, const Buffer& b, const Buffer& c);  // c = a - b
  void multiply_vector(const Buffer& a, const Buffer& x, const Buffer& y);
  void fill(const Buffer& buffer, float value);

  // Any kernel over at least `count` work-items in each dimension, in groups of `local`.
  template <typename... Args>
  void launch(const char* kernel, const std::vector<size_t>& count, const std::vector<size_t>& local,
              const Args&... args) {
    set_args(kernel, args...);
    enqueue(kernel, count, local);
  }
  // For kernels of one program only: over a vector, or by a single work-item. Arguments are buffers and ints.
  template <typename... Args>
  void over_vector(const char* kernel, const Args&... args) {
    set_args(kernel, args...);
    enqueue_1d(kernel, size_t(size()));
  }
  template <typename... Args>
  void single(const char* kernel, const Args&... args) {
    set_args(kernel, args...);
    const size_t one = 1;
    CL_CHECK(
        clEnqueueNDRangeKernel(queue_, kernel_named(kernel), 1, nullptr, &one, &one, 0, nullptr, nullptr));
  }
  int vector_groups() const;

  // One warm-up, then the repeats: write inputs, enqueue, read the result. Prints the two lines; returns the
  // program's exit code.
  int run(const Buffer& result, const std::function<void()>& enqueue,
          const std::function<Matrix()>& reference);

private:
  double run_once(const Buffer& result, const std::function<void()>& enqueue, uint64_t seed);
  int compare(const Matrix& expected) const;
  cl_kernel kernel_named(const char* name);
  void enqueue_1d(const char* kernel, size_t count);
  void enqueue_tiles(const char* kernel);
  void enqueue(const char* kernel, const std::vector<size_t>& count, const std::vector<size_t>& local);
  void set_arg(cl_kernel kernel, cl_uint index, const Buffer& value);
  void set_arg(cl_kernel kernel, cl_uint index, int value);
  void set_arg(cl_kernel kernel, cl_uint index, float value);
  void set_arg(cl_kernel kernel, cl_uint index, const LocalFloats& value);

  template <typename... Args>
  void set_args(const char* name, const Args&... args) {
    const cl_kernel kernel = kernel_named(name);
    cl_uint index = 0;
    (set_arg(kernel, index++, args), ...);
  }

  Options options_;
  std::string program_name_;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
  std::map<std::string, cl_kernel> kernels_;
  std::vector<cl_mem> buffers_;
  std::vector<std::unique_ptr<Input>> inputs_;
  std::vector<float> result_;
};

}  // namespace bench
