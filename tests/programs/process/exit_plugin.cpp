// SPDX-License-Identifier: Apache-2.0
// A library with a global that uses OpenCL, also as it is destroyed. exit_ways loads and unloads it.
#include "program.h"

namespace {

struct Engine {
  Cl cl;
  cl_kernel kernel = nullptr;
  cl_mem buffer = nullptr;
  static constexpr size_t count = 2000000;

  void step(const char* name) {
    launch(cl, kernel, {count}, {50});
    report<cl_int>(cl, name, buffer, count);
  }
  ~Engine() {
    step("in the destructor");
    CL_CHECK(clReleaseMemObject(buffer));
    CL_CHECK(clReleaseKernel(kernel));
    close_cl(cl);
  }
};

Engine engine;

}  // namespace

extern "C" __attribute__((visibility("default"))) void run() {
  engine.cl = open_cl();
  const cl_program program = build(engine.cl, R"(
    __kernel void stir(__global int* data) {
      int i = get_global_id(0), x = data[i];
      for (int k = 0; k < 100; ++k) x = x * 17 + k;
      data[i] = x;
    })");
  engine.kernel = kernel_of(program, "stir");
  engine.buffer = buffer_of(engine.cl, noise<cl_int>(Engine::count, 5));
  set_args(engine.kernel, engine.buffer);
  engine.step("in the library");
}
