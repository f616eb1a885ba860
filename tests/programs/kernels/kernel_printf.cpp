// SPDX-License-Identifier: Apache-2.0
// printf from a kernel: the text arrives on the program's stdout, once, whichever device runs the kernel.
#include "program.h"

int main() {
  const Cl cl = open_cl();
  const cl_program program = build(cl, R"(
    __kernel void speak(__global int* data, float f) {
      if (get_global_id(0) == 4100) printf("item %d of %d: %5.2f %s\n", (int)get_global_id(0), (int)get_global_size(0), f, "ok");
      data[get_global_id(0)] = get_global_id(0) * 3;
    })");
  const cl_kernel kernel = kernel_of(program, "speak");
  const cl_mem buffer = new_buffer(cl, 8192 * 4);
  std::printf("before\n");
  std::fflush(stdout);
  for (int i = 0; i < 3; ++i) {
    set_args(kernel, buffer, cl_float(i) + 0.5f);
    launch(cl, kernel, {8192}, {64});
    CL_CHECK(clFinish(cl.queue));
  }
  std::fflush(stdout);
  report<cl_int>(cl, "data", buffer, 8192);
}
