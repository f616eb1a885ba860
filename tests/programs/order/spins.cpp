// SPDX-License-Identifier: Apache-2.0
// Kernels that spin until another queue's command has set a flag, with no event between the two: drivers that
// run queues side by side end. They give up after a while, and their result then says so.
#include "program.h"

#include <chrono>
#include <thread>

static constexpr size_t kCount = 16384;

static const char* const kSource = R"(
#define LONG_ENOUGH 3000000000u
__kernel void stir(__global uint* data, uint seed) {
  size_t i = get_global_id(0);
  uint x = data[i] + seed;
  for (int k = 0; k < 500; ++k) x = x * 1664525u + (uint)i;
  data[i] = x;
}
__kernel void by_volatile(__global volatile uint* flag, __global uint* out) {
  uint rounds = 0;
  while (flag[0] == 0 && rounds < LONG_ENOUGH) ++rounds;
  out[0] = flag[0];
}
__kernel void by_atomics(__global uint* flag, __global uint* out) {
  for (uint rounds = 0; atomic_or(flag, 0) == 0 && rounds < LONG_ENOUGH / 16; ++rounds);
  out[0] = atomic_or(flag, 0);
}
__kernel void set_flag(__global volatile uint* flag) { flag[0] = 9; }
)";

int main() {
  const Cl cl = open_cl();
  const cl_command_queue other = new_queue(cl);
  const cl_program program = build(cl, kSource);
  const cl_kernel stir = kernel_of(program, "stir"), set_flag = kernel_of(program, "set_flag");
  const cl_mem data = buffer_of(cl, noise<cl_uint>(kCount, 3)), out = new_buffer(cl, sizeof(cl_uint));
  const cl_mem flag = new_buffer(cl, sizeof(cl_uint));
  const cl_uint zero = 0, five = 5;
  for (const char* name : {"by_volatile", "by_atomics"}) {
    const cl_kernel spin = kernel_of(program, name);
    set_args(spin, flag, out);
    for (const bool by_kernel : {false, true}) {
      CL_CHECK(clEnqueueWriteBuffer(cl.queue, flag, CL_TRUE, 0, sizeof(zero), &zero, 0, nullptr, nullptr));
      for (const cl_uint seed : {7u, 8u}) {
        set_args(stir, data, seed);
        launch(cl, stir, {kCount}, {64});
      }
      launch(cl, spin, {1}, {1});
      launch(cl, stir, {kCount}, {64});
      CL_CHECK(clFlush(cl.queue));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      if (by_kernel) {
        set_args(set_flag, flag);
        launch(other, set_flag, {1}, {1});
      } else {
        CL_CHECK(clEnqueueWriteBuffer(other, flag, CL_FALSE, 0, sizeof(five), &five, 0, nullptr, nullptr));
      }
      CL_CHECK(clFinish(other));
      CL_CHECK(clFinish(cl.queue));
      std::printf("%s, %s: %u\n", name, by_kernel ? "kernel" : "write", read<cl_uint>(cl, out, 1)[0]);
      report<cl_uint>(cl, "data", data, kCount);
    }
  }
}
