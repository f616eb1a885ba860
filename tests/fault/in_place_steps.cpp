// SPDX-License-Identifier: Apache-2.0
// Launches that change a buffer in place, each read by the host before the next: what has begun cannot simply
// be done again.
#include "../programs/program.h"

int main() {
  const Cl cl = open_cl();
  const cl_program program = build(cl, R"(
    __kernel void change(__global uint* data) {
      int i = get_global_id(0);
      uint v = data[i];
      for (int k = 0; k < 300; ++k) v = v * 1664525u + 1013904223u + k;
      data[i] = v;
    })");
  const cl_kernel change = kernel_of(program, "change");
  const size_t count = 1 << 18;
  const cl_mem data = buffer_of(cl, noise<cl_uint>(count, 1));
  set_args(change, data);
  for (int i = 0; i < 6; ++i) {
    launch(cl, change, {count}, {64});
    report<cl_uint>(cl, "changed", data, count);
  }
}
