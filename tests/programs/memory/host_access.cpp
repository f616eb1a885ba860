// SPDX-License-Identifier: Apache-2.0
// Kernels on buffers that are closed to the host: not to be read, not to be written, or neither. The device
// may use them as ever; what they hold is copied into an open buffer and read there.
#include "program.h"

int main(int argc, char** argv) {
  const size_t count = size_argument(argc, argv, 100000);
  const Cl cl = open_cl();
  const cl_program program = build(cl, R"(
    __kernel void stir(__global const int* in, __global int* out, int rounds) {
      int i = get_global_id(0), x = in[i];
      for (int k = 0; k < rounds; ++k) x = x * 31 + k;
      out[i] = x;
    })");
  const cl_kernel kernel = kernel_of(program, "stir");
  const cl_mem open = new_buffer(cl, count * 4);
  for (const cl_mem_flags host : {CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_NO_ACCESS}) {
    const cl_mem in = buffer_of(cl, noise<cl_int>(count, host), host);
    const cl_mem out = new_buffer(cl, count * 4, host);
    for (int step = 0; step < 6; ++step) {
      set_args(kernel, step % 2 ? out : in, step % 2 ? in : out, cl_int(300 + step));
      launch(cl, kernel, {count}, {50});
    }
    // What the pieces wrote, in one copy, and a launch at home on all of it.
    CL_CHECK(clEnqueueCopyBuffer(cl.queue, in, open, 0, 0, count * 4, 0, nullptr, nullptr));
    report<cl_int>(cl, "in", open, count);
    const cl_int value = 7;
    CL_CHECK(clEnqueueFillBuffer(cl.queue, out, &value, 4, count, count, 0, nullptr, nullptr));
    set_args(kernel, out, in, cl_int(1));
    launch(cl, kernel, {count}, {50});
    CL_CHECK(clEnqueueCopyBuffer(cl.queue, in, open, 4, 8, count * 2, 0, nullptr, nullptr));
    report<cl_int>(cl, "out", open, count);
    CL_CHECK(clReleaseMemObject(in));
    CL_CHECK(clReleaseMemObject(out));
  }
}
