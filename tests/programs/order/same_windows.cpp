// SPDX-License-Identifier: Apache-2.0
// A program that waits after every few kernels, always the same ones. They run on the same buffers, and
// then on others, of other sizes, with other scalars and shapes. The host may have written bytes since. A
// plan that is taken over from an equal window must not be taken for one that only looks like it.
#include "program.h"

int main(int argc, char** argv) {
  const size_t count = size_argument(argc, argv, 65536);  // a multiple of 1024
  const Cl cl = open_cl();
  const cl_program program = build(cl, R"(
    __kernel void stir(__global const int* in, __global int* out, int from, int rounds) {
      int i = get_global_id(0) + from, x = in[i];
      for (int k = 0; k < rounds; ++k) x = x * 31 + k;
      out[i] = x;
    }
    __kernel void neighbours(__global const int* in, __global int* out, int from, int rounds) {
      int i = get_global_id(0) + from, x = in[i] ^ in[i ^ 1023];
      for (int k = 0; k < rounds; ++k) x = x * 17 + in[i];
      out[i] = x;
    })");
  const cl_kernel stir = kernel_of(program, "stir");
  const cl_kernel neighbours = kernel_of(program, "neighbours");
  const auto window = [&](cl_mem a, cl_mem b, size_t items, cl_int from, cl_int rounds) {
    set_args(stir, a, b, from, rounds);
    launch(cl, stir, {items}, {64});
    set_args(neighbours, b, a, from, rounds);
    launch(cl, neighbours, {items}, {64});
    CL_CHECK(clFinish(cl.queue));
  };
  cl_mem a = buffer_of(cl, noise<cl_int>(count, 1));
  cl_mem b = buffer_of(cl, noise<cl_int>(count, 2));
  for (int i = 0; i < 6; ++i)
    window(a, b, count, 0, 300);
  report<cl_int>(cl, "same", a, count);
  for (int i = 0; i < 4; ++i) {
    window(b, a, count, 0, 300);
    window(a, b, count, 0, 300);
  }
  report<cl_int>(cl, "swapped", b, count);
  for (int i = 0; i < 4; ++i) {
    window(a, b, count / 2, 0, 300);
    window(a, b, count / 2, static_cast<cl_int>(count / 2), 300);
    window(a, b, count / 2, static_cast<cl_int>(count / 4), 200 + i);
  }
  report<cl_int>(cl, "parts", a, count);
  const auto fresh = noise<cl_int>(count / 4, 3);
  for (int i = 0; i < 4; ++i) {
    window(a, b, count, 0, 300);
    CL_CHECK(clEnqueueWriteBuffer(cl.queue, a, CL_TRUE, static_cast<size_t>(i) * count, count, fresh.data(),
                                  0, nullptr, nullptr));
  }
  report<cl_int>(cl, "written", a, count);
  for (const size_t size : {2 * count, count / 2, count, 2 * count}) {
    CL_CHECK(clReleaseMemObject(a));
    CL_CHECK(clReleaseMemObject(b));
    a = buffer_of(cl, noise<cl_int>(size, 4));
    b = buffer_of(cl, noise<cl_int>(size, 5));
    for (int i = 0; i < 3; ++i)
      window(a, b, count / 2, 0, 300);
    report<cl_int>(cl, "others", a, size);
  }
}
