// SPDX-License-Identifier: Apache-2.0
// Several threads enqueue into one queue and one context; each uses its own kernel object and buffer.
#include "program.h"

#include <thread>

int main() {
  constexpr int threads = 4;
  constexpr size_t count = 50000;
  const Cl cl = open_cl();
  const cl_program program = build(cl, R"(
    __kernel void grow(__global const int* in, __global int* out, int add) {
      int i = get_global_id(0), x = in[i];
      for (int k = 0; k < 100; ++k) x = x * 5 + add;
      out[i] = x;
    })");
  std::vector<std::vector<cl_int>> results(threads);
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t)
    workers.emplace_back([&, t] {
      const cl_kernel kernel = kernel_of(program, "grow");
      cl_mem a = buffer_of(cl, noise<cl_int>(count, uint64_t(t)));
      cl_mem b = new_buffer(cl, count * sizeof(cl_int));
      for (int round = 0; round < 20; ++round) {
        set_args(kernel, a, b, cl_int(t * 100 + round));
        launch(cl, kernel, {count}, {50});
        std::swap(a, b);
        if (round % 7 == t) CL_CHECK(clFlush(cl.queue));
      }
      results[t] = read<cl_int>(cl, a, count);
      CL_CHECK(clReleaseMemObject(a));
      CL_CHECK(clReleaseMemObject(b));
      CL_CHECK(clReleaseKernel(kernel));
    });
  for (std::thread& worker : workers)
    worker.join();
  for (const auto& result : results)
    report("thread", result);
  CL_CHECK(clReleaseProgram(program));
  close_cl(cl);
}
