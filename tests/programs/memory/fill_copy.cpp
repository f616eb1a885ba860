// SPDX-License-Identifier: Apache-2.0
// Fills with every pattern size and copies within and between buffers, overlapping ones refused, interleaved
// with kernels.
#include "program.h"

int main(int argc, char** argv) {
  const size_t count = size_argument(argc, argv, 131072);  // a multiple of 1024
  const size_t bytes = count * sizeof(cl_int);
  const Cl cl = open_cl();
  const cl_program program = build(cl, R"(
    __kernel void stir(__global int* data) {
      int i = get_global_id(0), x = data[i];
      for (int k = 0; k < 150; ++k) x = x * 31 + i;
      data[i] = x;
    }
    __kernel void neighbours(__global const int* in, __global int* out) {
      int i = get_global_id(0), x = in[max(i, 1) - 1];
      for (int k = 0; k < 150; ++k) x = x * 31 + in[i];
      out[i] = x;
    })");
  const cl_kernel kernel = kernel_of(program, "stir");
  const cl_mem a = buffer_of(cl, noise<cl_int>(count, 1));
  const cl_mem b = buffer_of(cl, noise<cl_int>(count, 2));
  unsigned char pattern[128];
  for (size_t i = 0; i < sizeof(pattern); ++i)
    pattern[i] = static_cast<unsigned char>(i * 37 + 1);
  for (size_t size = 1; size <= 128; size *= 2) {
    CL_CHECK(clEnqueueFillBuffer(cl.queue, a, pattern, size, bytes / 4, bytes / 2, 0, nullptr, nullptr));
    pattern[0] ^= 1;  // the pattern was copied at the call
    set_args(kernel, a);
    launch(cl, kernel, {count}, {64});
    CL_CHECK(clEnqueueCopyBuffer(cl.queue, a, b, bytes / 8, bytes / 2, bytes / 4, 0, nullptr, nullptr));
    CL_CHECK(clEnqueueCopyBuffer(cl.queue, b, b, bytes / 2, 0, bytes / 2, 0, nullptr, nullptr));
    CL_CHECK(clEnqueueCopyBuffer(cl.queue, b, a, 0, 0, bytes / 2, 0, nullptr, nullptr));
  }
  report<cl_int>(cl, "a", a, count);
  report<cl_int>(cl, "b", b, count);
  // The same again, but for the size of the pattern.
  const cl_kernel neighbours = kernel_of(program, "neighbours");
  for (int round = 0; round < 40; ++round) {
    CL_CHECK(clEnqueueFillBuffer(cl.queue, a, pattern + round, round % 2 == 0 ? 4 : 64, 0, bytes, 0, nullptr,
                                 nullptr));
    set_args(neighbours, a, b);
    launch(cl, neighbours, {count}, {64});
    CL_CHECK(clFinish(cl.queue));
    report<cl_int>(cl, "neighbours", b, count);
  }
  std::printf("overlap %d\n", clEnqueueCopyBuffer(cl.queue, a, a, 0, 512, 1024, 0, nullptr, nullptr));
  std::printf("past the end %d\n", clEnqueueCopyBuffer(cl.queue, a, b, 0, bytes - 4, 8, 0, nullptr, nullptr));
  std::printf("pattern of 3 %d\n", clEnqueueFillBuffer(cl.queue, a, pattern, 3, 0, 12, 0, nullptr, nullptr));
  std::printf("not aligned %d\n", clEnqueueFillBuffer(cl.queue, a, pattern, 8, 4, 16, 0, nullptr, nullptr));
}
