// SPDX-License-Identifier: Apache-2.0
// Read-modify-write chains over three buffers, launches of several milliseconds each, whole and partial
// transfers in between. The last writer is different for every part of every buffer.
#include "program.h"

int main(int argc, char** argv) {
  const size_t count = size_argument(argc, argv, 262144);  // a multiple of 1024
  const size_t bytes = count * sizeof(cl_int);
  const Cl cl = open_cl();
  const cl_program program = build(cl, R"(
    __kernel void stir(__global const int* a, __global const int* b, __global int* c, int m, int n) {
      int i = get_global_id(0);
      if (i >= n) return;
      int x = a[i], y = b[n - 1 - i];
      for (int k = 0; k < 128; ++k) { x = x * m + y; y = y * 3 + k; }
      c[i] = x ^ y;
    }
    __kernel void half_update(__global int* a, __global const int* b, int from, int to) {
      int i = get_global_id(0) + from;
      if (i >= to) return;
      int x = a[i];
      for (int k = 0; k < 200; ++k) x = x * 5 + b[i];
      a[i] = x;
    })");
  const cl_kernel stir = kernel_of(program, "stir");
  const cl_kernel half_update = kernel_of(program, "half_update");
  cl_mem buffers[3];
  for (int i = 0; i < 3; ++i)
    buffers[i] = buffer_of(cl, noise<cl_int>(count, uint64_t(i)));
  std::vector<cl_int> host(count);
  for (int round = 0; round < 9; ++round) {
    const cl_mem a = buffers[round % 3];
    const cl_mem b = buffers[(round + 1) % 3];
    const cl_mem c = buffers[(round + 2) % 3];
    set_args(stir, a, b, c, cl_int(round + 2), cl_int(count - round * 10));
    launch(cl, stir, {count}, {64});
    set_args(half_update, a, c, cl_int(count / 3), cl_int(count / 3 + count / 2));
    launch(cl, half_update, {count / 2}, {64});
    if (round % 3 == 1)
      CL_CHECK(
          clEnqueueReadBuffer(cl.queue, c, CL_TRUE, bytes / 8, bytes / 2, host.data(), 0, nullptr, nullptr));
    if (round % 3 == 2)
      CL_CHECK(clEnqueueWriteBuffer(cl.queue, b, CL_FALSE, bytes / 4, bytes / 4, host.data() + 7, 0, nullptr,
                                    nullptr));
  }
  for (const cl_mem buffer : buffers)
    report<cl_int>(cl, "buffer", buffer, count);
  report("host", host);
}
