// SPDX-License-Identifier: Apache-2.0
// What the benchmark programs share: arguments, a device (device.h), inputs, the operations of kernels.cl,
// timing, checksum and check. Each program states what it computes twice: as enqueued operations, and in
// double precision for --check (reference.h). Start reading at any program: stein.cpp is one of the matrix
// equations, sobel.cpp has a kernel of its own.
#pragma once

#include "device.h"
#include "reference.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace bench {

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
  int below(int limit);

private:
  uint64_t next();

  uint64_t state_;
};

// A device buffer filled by the program, with the host array it is written from.
struct Input : Buffer {
  std::vector<float> host;
  std::function<void(std::vector<float>&, Random&)> fill;
};

// As Input, of ints.
struct Integers : Buffer {
  std::vector<int> host;
  std::function<void(std::vector<int>&, Random&)> fill;
};

// This class has more than 25 methods: each operation is one, so that a program reads like its equation.
class Harness {
public:
  using Fill = std::function<void(std::vector<float>&, Random&)>;

  // Reads the arguments over the defaults and opens the device; exits with 2 when an argument is wrong.
  Harness(int argc, char** argv, Options defaults);

  int size() const { return options_.size; }
  int iterations() const { return options_.iterations; }
  int group() const { return options_.group; }

  // As the two below, of any number of floats.
  Input& input(size_t count, Fill fill);
  Integers& integers(size_t count, std::function<void(std::vector<int>&, Random&)> fill);
  // What all repeats have in common, as the shape of a sparse matrix. It is written once.
  Integers& constant(std::vector<int> host);
  Buffer buffer(size_t count) { return device_.buffer(count, CL_MEM_READ_WRITE); }
  Image image(size_t width, size_t height) { return device_.image(width, height, CL_MEM_READ_WRITE); }
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
  void fill(const Buffer& buffer, float value) { device_.fill(buffer, value); }
  void copy(const Buffer& from, const Image& to) { device_.copy(from, to); }
  void copy(const Image& from, const Buffer& to) { device_.copy(from, to); }
  void read(const Buffer& from, void* to) { device_.read(from, to); }

  // Any kernel over at least `count` work-items in each dimension, in groups of `local`.
  template <typename... Args>
  void launch(const char* kernel, const std::vector<size_t>& count, const std::vector<size_t>& local,
              const Args&... args) {
    device_.launch(kernel, count, local, args...);
  }
  // Over a vector.
  template <typename... Args>
  void over_vector(const char* kernel, const Args&... args) {
    device_.launch(kernel, {size_t(size())}, {kVectorGroup}, args...);
  }
  int vector_groups() const;

  // One warm-up, then the repeats: write inputs, enqueue, read the result. Prints the two lines; returns the
  // program's exit code.
  int run(const Buffer& result, const std::function<void()>& enqueue,
          const std::function<Matrix()>& reference);
  // As above, of ints, which must be equal.
  int run_exactly(const Buffer& result, const std::function<void()>& enqueue,
                  const std::function<std::vector<int>()>& reference);

private:
  void repeat(const Buffer& result, const std::function<void()>& enqueue);
  double run_once(const Buffer& result, const std::function<void()>& enqueue, uint64_t seed);
  // Kernels of kernels.cl: a work-item for each element of a matrix, or of any shape.
  template <typename... Args>
  void over_matrix(const char* kernel, const Args&... args) {
    const size_t n = size_t(size());
    device_.launch(kernel, {n, n}, {kTile, kTile}, args...);
  }
  template <typename... Args>
  void over_elements(const char* kernel, const Buffer& result, const Args&... args) {
    const size_t group = result.count > size_t(size()) ? kMatrixGroup : kVectorGroup;
    device_.launch(kernel, {result.count}, {group}, args..., result, int(result.count));
  }

  static constexpr size_t kTile = 16;  // as TILE and GROUP in kernels.cl
  static constexpr size_t kVectorGroup = 64;
  static constexpr size_t kMatrixGroup = 256;  // element-wise kernels over whole matrices

  const std::string program_name_;
  const Options options_;
  Device device_;
  std::vector<std::unique_ptr<Input>> inputs_;
  std::vector<std::unique_ptr<Integers>> integers_;
  std::vector<float> result_;
};

}  // namespace bench
