// SPDX-License-Identifier: Apache-2.0
// Launches before and after the process gives up its privileges, in local sizes that it has used before and
// in others. With an argument it does give them up. Run as an ordinary user, it has none to give up.
#include "../programs/program.h"

#include <unistd.h>

int main(int argc, char**) {
  const Cl cl = open_cl();
  const cl_program program = build(cl, R"(
    __kernel void iterate(__global float* out, __global const float* in) {
      int i = get_global_id(0);
      float v = in[i];
      for (int k = 0; k < 300; ++k) v = v * 0.99f + 1.0f;
      out[i] = v;
    })");
  const cl_kernel step = kernel_of(program, "iterate");
  const size_t count = 1 << 19;
  const cl_mem in = buffer_of(cl, noise<cl_float>(count, 1));
  const cl_mem out = new_buffer(cl, count * 4);
  set_args(step, out, in);
  for (const size_t local : {size_t(64), size_t(32)}) {
    launch(cl, step, {count}, {local});
    report<cl_float>(cl, "before", out, count);
  }
  if (argc > 1) {
    const uid_t nobody = 65534;
    if (geteuid() == 0 && (setgid(nobody) != 0 || setuid(nobody) != 0)) return 1;
  }
  for (const size_t local : {size_t(32), size_t(128), size_t(64)}) {
    launch(cl, step, {count}, {local});
    report<cl_float>(cl, "after", out, count);
  }
}
