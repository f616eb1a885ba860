// SPDX-License-Identifier: Apache-2.0
// Leaves main with kernels and a read still in flight, nothing waited for and nothing released. They ran to
// the end before: PoCL compiles at a kernel's first launch, and dies when the process ends meanwhile.
#include "program.h"

int main(int argc, char**) {  // with any argument: flush first
  const Cl cl = open_cl();
  const cl_kernel kernel = kernel_of(build(cl, R"(
    __kernel void stir(__global int* data) {
      int i = get_global_id(0);
      int x = data[i];
      for (int k = 0; k < 400; ++k) x = x * 31 + k;
      data[i] = x;
    })"),
                                     "stir");
  constexpr size_t count = 200000;
  static cl_int result[count];
  const cl_mem buffer = buffer_of(cl, noise<cl_int>(count, 9));
  set_args(kernel, buffer);
  for (int round = 0; round < 3; ++round) {
    if (round > 0) CL_CHECK(clFinish(cl.queue));
    for (int i = 0; i < 5; ++i)
      launch(cl, kernel, {count}, {50});
    CL_CHECK(clEnqueueReadBuffer(cl.queue, buffer, CL_FALSE, 0, sizeof(result), result, 0, nullptr, nullptr));
  }
  if (argc > 1) CL_CHECK(clFlush(cl.queue));
  std::printf("leaving\n");
  return 5;
}
