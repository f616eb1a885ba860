// SPDX-License-Identifier: Apache-2.0
// OpenCL objects owned by a global: its destructor runs after main, makes calls and releases everything.
#include "program.h"

namespace {

struct Engine {
  Cl cl;
  cl_program program = nullptr;
  cl_kernel kernel = nullptr;
  cl_mem buffer = nullptr;
  static constexpr size_t count = 200000;

  void start() {
    cl = open_cl();
    program = build(cl, R"(
      __kernel void advance(__global uint* data) {
        uint i = get_global_id(0), x = data[i];
        for (int k = 0; k < 100; ++k) x = x * 1664525u + 1013904223u;
        data[i] = x;
      })");
    kernel = kernel_of(program, "advance");
    buffer = buffer_of(cl, noise<cl_uint>(count, 3));
    set_args(kernel, buffer);
  }
  ~Engine() {
    launch(cl, kernel, {count}, {64});
    report<cl_uint>(cl, "in the destructor", buffer, count);
    CL_CHECK(clReleaseMemObject(buffer));
    CL_CHECK(clReleaseKernel(kernel));
    CL_CHECK(clReleaseProgram(program));
    close_cl(cl);
    std::printf("released\n");
  }
};

Engine engine;

}  // namespace

int main() {
  engine.start();
  for (int i = 0; i < 3; ++i)
    launch(engine.cl, engine.kernel, {Engine::count}, {64});
  report<cl_uint>(engine.cl, "in main", engine.buffer, Engine::count);
}
