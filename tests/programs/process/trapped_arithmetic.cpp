// SPDX-License-Identifier: Apache-2.0
// A program that wants a signal for each inexact or invalid result of its own arithmetic. It finds its
// exceptions as they were.
#include "program.h"

#include <cfenv>

int main() {
  const Cl cl = open_cl();
  const cl_program program = build(cl, R"(
    __kernel void grow(__global int* data, int rounds) {
      int i = get_global_id(0), x = data[i];
      for (int k = 0; k < rounds; ++k) x = x * 5 + 1;
      data[i] = x;
    })");
  const cl_kernel kernel = kernel_of(program, "grow");
  constexpr size_t count = 1 << 17;
  const cl_mem buffer = buffer_of(cl, noise<cl_int>(count, 1));
  std::feclearexcept(FE_ALL_EXCEPT);
  feenableexcept(FE_INEXACT | FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW);
  for (int i = 0; i < 12; ++i) {
    set_args(kernel, buffer, cl_int(100 + i));
    launch(cl, kernel, {count}, {32});
    if (i % 3 == 0) CL_CHECK(clFinish(cl.queue));
  }
  const std::vector<cl_int> result = read<cl_int>(cl, buffer, count);
  std::printf("trapped %d, raised %d\n", int(fegetexcept() != 0), std::fetestexcept(FE_ALL_EXCEPT));
  report("result", result);
}
