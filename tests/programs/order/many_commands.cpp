// SPDX-License-Identifier: Apache-2.0
// Two thousand small commands without a flush between them, over a handful of buffers: longer than any
// window a scheduler may collect.
#include "program.h"

int main() {
  constexpr size_t count = 4096;
  const Cl cl = open_cl();
  const cl_kernel kernel = kernel_of(build(cl, R"(
    __kernel void stir(__global const int* in, __global int* out, int m) {
      int i = get_global_id(0);
      out[i] = in[i] * m + out[i] + i;
    })"),
                                     "stir");
  std::vector<cl_mem> buffers;
  for (int i = 0; i < 5; ++i)
    buffers.push_back(buffer_of(cl, noise<cl_int>(count, uint64_t(i))));
  std::vector<cl_int> host(count, 1);
  for (int i = 0; i < 2000; ++i) {
    const cl_mem from = buffers[i % 5];
    const cl_mem to = buffers[(i * 3 + 1) % 5];
    switch (i % 10) {
    case 3:
      CL_CHECK(clEnqueueCopyBuffer(cl.queue, buffers[0], buffers[1], 0, count * 2, count * 2, 0, nullptr,
                                   nullptr));
      break;
    case 7:
      CL_CHECK(clEnqueueReadBuffer(cl.queue, to, CL_FALSE, 0, count * 4, host.data(), 0, nullptr, nullptr));
      CL_CHECK(clEnqueueWriteBuffer(cl.queue, buffers[2], CL_FALSE, 0, count * 2, host.data(), 0, nullptr,
                                    nullptr));
      break;
    default:
      if (from == to) break;
      set_args(kernel, from, to, cl_int(i));
      launch(cl, kernel, {count}, {64});
    }
  }
  for (const cl_mem buffer : buffers)
    report<cl_int>(cl, "buffer", buffer, count);
}
