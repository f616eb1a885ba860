// SPDX-License-Identifier: Apache-2.0
// Several threads, each with its own context, queue, program and buffers, all at once.
#include "program.h"

#include <thread>

int main() {
  // PoCL's first device query and first build must not race with others.
  const Cl first = open_cl();
  CL_CHECK(clReleaseProgram(build(first, "__kernel void nothing(__global int* data) {}")));
  constexpr int threads = 4;
  constexpr size_t count = 60000;
  std::vector<std::vector<cl_int>> results(threads);
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t)
    workers.emplace_back([t, &results] {
      const Cl cl = open_cl();
      const cl_program program = build(cl, R"(
        __kernel void grow(__global int* data, int rounds) {
          int i = get_global_id(0), x = data[i];
          for (int k = 0; k < rounds; ++k) x = x * 5 + 1;
          data[i] = x;
        })");
      const cl_kernel kernel = kernel_of(program, "grow");
      const cl_mem buffer = buffer_of(cl, noise<cl_int>(count, uint64_t(t)));
      for (int round = 0; round < 20; ++round) {
        set_args(kernel, buffer, cl_int(100 + round));
        launch(cl, kernel, {count}, {32});
        if (round % 5 == t) CL_CHECK(clFinish(cl.queue));
      }
      results[t] = read<cl_int>(cl, buffer, count);
      CL_CHECK(clReleaseMemObject(buffer));
      CL_CHECK(clReleaseKernel(kernel));
      CL_CHECK(clReleaseProgram(program));
      close_cl(cl);
    });
  for (std::thread& worker : workers)
    worker.join();
  for (const auto& result : results)
    report("thread", result);
}
