// SPDX-License-Identifier: Apache-2.0
// Registers its exit handler before the first OpenCL call, so that it runs after every handler OpenCL may
// have registered, and uses OpenCL there.
#include "program.h"

static Cl cl;
static cl_kernel kernel;
static cl_mem buffer;
static constexpr size_t count = 200000;

static void last_words() {
  launch(cl, kernel, {count}, {64});
  report<cl_int>(cl, "at exit", buffer, count);
  CL_CHECK(clReleaseMemObject(buffer));
  close_cl(cl);
}

int main() {
  std::atexit(last_words);
  cl = open_cl();
  kernel = kernel_of(build(cl, R"(
    __kernel void stir(__global int* data) {
      int i = get_global_id(0);
      for (int k = 0; k < 64; ++k) data[i] = data[i] * 31 + k;
    })"),
                     "stir");
  buffer = buffer_of(cl, noise<cl_int>(count, 9));
  set_args(kernel, buffer);
  launch(cl, kernel, {count}, {64});
  CL_CHECK(clFinish(cl.queue));
  return 3;
}
