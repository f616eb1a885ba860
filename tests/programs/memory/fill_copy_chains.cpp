// SPDX-License-Identifier: Apache-2.0
// Fills and copies of random parts of buffers and sub-buffers, one after another. Among them are kernels
// that read and write all, a part, or every other element. Nothing is waited for until something is read.
#include "program.h"

#include <random>

namespace {

constexpr size_t kBuffers = 4;

size_t below(std::mt19937& random, size_t end) {  // the library's distributions differ between libraries
  return random() % end;
}

constexpr const char* kSource = R"(
  int stirred(int x) {
    for (int k = 0; k < 150; ++k) x = x * 31 + k;
    return x;
  }
  __kernel void add(__global const int* a, __global const int* b, __global int* sum) {
    int i = get_global_id(0);
    sum[i] = stirred(a[i]) + b[i];
  }
  __kernel void swap_halves(__global const int* in, __global int* out, int n) {
    int i = get_global_id(0);
    out[i] = stirred(in[(i + n / 2) % n]);
  }
  __kernel void every_other(__global int* data) {
    int i = 2 * get_global_id(0);
    data[i] = stirred(data[i]);
  })";

}  // namespace

int main(int argc, char** argv) {
  const size_t count = size_argument(argc, argv, 65536);  // elements of a buffer; a multiple of 1024
  std::mt19937 random(argc > 2 ? uint32_t(std::strtoul(argv[2], nullptr, 10)) : 1);
  const Cl cl = open_cl();
  const cl_program program = build(cl, kSource);
  const cl_kernel add = kernel_of(program, "add");
  const cl_kernel swap_halves = kernel_of(program, "swap_halves");
  const cl_kernel every_other = kernel_of(program, "every_other");
  cl_mem buffers[kBuffers];
  cl_mem halves[kBuffers];
  for (size_t i = 0; i < kBuffers; ++i) {
    buffers[i] = buffer_of(cl, noise<cl_int>(count, i));
    halves[i] = part(buffers[i], count * sizeof(cl_int) / 2, count * sizeof(cl_int) / 2);
  }
  for (int step = 1; step <= 300; ++step) {
    const size_t from = below(random, kBuffers);
    const size_t to = (from + 1 + below(random, kBuffers - 1)) % kBuffers;
    const bool half = below(random, 4) == 0;  // of the destination
    const size_t bytes = count * sizeof(cl_int) / (half ? 2 : 1);
    const cl_mem destination = half ? halves[to] : buffers[to];
    const size_t size = below(random, 3) == 0 ? bytes : 4 * (1 + below(random, bytes / 4));
    const size_t at = 4 * below(random, (bytes - size) / 4 + 1);
    switch (below(random, 8)) {
    case 0:
    case 1:
    case 2: {
      const size_t source = 4 * below(random, (count * sizeof(cl_int) - size) / 4 + 1);
      CL_CHECK(
          clEnqueueCopyBuffer(cl.queue, buffers[from], destination, source, at, size, 0, nullptr, nullptr));
      break;
    }
    case 3:
    case 4: {
      const size_t pattern_size = size_t{4} << below(random, 4);
      cl_int pattern[8];
      for (cl_int& word : pattern)
        word = cl_int(random());
      CL_CHECK(clEnqueueFillBuffer(cl.queue, destination, pattern, pattern_size,
                                   at / pattern_size * pattern_size, size / pattern_size * pattern_size, 0,
                                   nullptr, nullptr));
      break;
    }
    case 5:
      set_args(add, buffers[from], half ? buffers[to] : buffers[from], buffers[to]);
      launch(cl, add, {count}, {64});
      break;
    case 6:
      set_args(swap_halves, buffers[from], buffers[to], cl_int(count));
      launch(cl, swap_halves, {count}, {64});
      break;
    default:
      set_args(every_other, buffers[to]);
      launch(cl, every_other, {count / 2}, {64});
    }
    if (step % 60 == 0) report<cl_int>(cl, "buffer", buffers[to], count);
  }
  for (const cl_mem buffer : buffers)
    report<cl_int>(cl, "buffer", buffer, count);
}
