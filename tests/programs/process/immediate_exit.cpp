// SPDX-License-Identifier: Apache-2.0
// Ends by _exit after clFinish, so that no exit handler runs.
#include "program.h"

#include <unistd.h>

int main() {
  const Cl cl = open_cl();
  const cl_kernel kernel = kernel_of(build(cl, R"(
    __kernel void stir(__global int* data) {
      int i = get_global_id(0);
      int x = data[i];
      for (int k = 0; k < 1000; ++k) x = x * 31 + k;
      data[i] = x;
    })"),
                                     "stir");
  constexpr size_t count = 200000;
  const cl_mem buffer = buffer_of(cl, noise<cl_int>(count, 9));
  set_args(kernel, buffer);
  for (int i = 0; i < 6; ++i)
    launch(cl, kernel, {count}, {50});
  CL_CHECK(clFinish(cl.queue));
  std::printf("leaving\n");
  std::fflush(stdout);
  _exit(6);
}
