// SPDX-License-Identifier: Apache-2.0
// One buffer in several arguments. It is read and written in place, and written twice at different places.
// Overlapping sub-buffers are read and written in disjoint parts.
#include "program.h"

int main(int argc, char** argv) {
  const size_t count = size_argument(argc, argv, 131072);  // a multiple of 2048
  const size_t bytes = count * sizeof(cl_int);
  const Cl cl = open_cl();
  const cl_program program = build(cl, R"(
    __kernel void update(__global const int* a, __global const int* b, __global int* c) {
      int i = get_global_id(0), x = a[i] + 3 * b[i];
      for (int k = 0; k < 150; ++k) x = x * 31 + k;
      c[i] = x;
    }
    // Writes the lower half through one argument and the upper half through the other.
    __kernel void halves(__global int* low, __global int* high, int half_count) {
      int i = get_global_id(0);
      int x = i;
      for (int k = 0; k < 150; ++k) x = x * 17 + k;
      low[i] = x;
      high[i + half_count] = -x;
    }
    // Reads the upper half, writes the lower one.
    __kernel void fold(__global const int* from, __global int* to, int half_count) {
      int i = get_global_id(0), x = from[i + half_count];
      for (int k = 0; k < 150; ++k) x = x * 13 + k;
      to[i] += x;
    })");
  const cl_kernel update = kernel_of(program, "update");
  const cl_kernel halves = kernel_of(program, "halves");
  const cl_kernel fold = kernel_of(program, "fold");
  const cl_mem a = buffer_of(cl, noise<cl_int>(count, 1));
  const cl_mem b = buffer_of(cl, noise<cl_int>(count, 2));
  set_args(update, a, a, a);
  launch(cl, update, {count}, {64});
  set_args(update, a, b, b);
  launch(cl, update, {count}, {64});
  report<cl_int>(cl, "in place a", a, count);
  report<cl_int>(cl, "in place b", b, count);
  set_args(fold, b, b, cl_int(count / 2));
  launch(cl, fold, {count / 2}, {64});
  report<cl_int>(cl, "fold", b, count);
  set_args(halves, a, a, cl_int(count / 2));
  launch(cl, halves, {count / 2}, {64});
  report<cl_int>(cl, "halves", a, count);
  const cl_buffer_region regions[2] = {{0, bytes / 2 + bytes / 8},
                                       {bytes / 2 - bytes / 8, bytes / 2 + bytes / 8}};
  cl_mem subs[2];
  for (int i = 0; i < 2; ++i) {
    cl_int error = CL_SUCCESS;
    subs[i] = clCreateSubBuffer(b, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &regions[i], &error);
    CL_CHECK(error);
  }
  // The two overlap by a quarter, which this kernel does not touch.
  set_args(fold, subs[1], subs[0], cl_int(count / 4));
  launch(cl, fold, {count * 3 / 8}, {64});
  report<cl_int>(cl, "overlapping sub-buffers", b, count);
}
