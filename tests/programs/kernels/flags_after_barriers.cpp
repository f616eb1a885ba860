// SPDX-License-Identifier: Apache-2.0
// Flags that are set in a loop with barriers and tested after it, as in stencils that shrink their tiles.
// PoCL 3.1 takes the wrong branch in forms of such kernels which the program did not write. Once the
// work-groups' bytes are apart, and once they cannot be shown to be.
#include "program.h"

int main() {
  constexpr size_t groups = 4096;
  constexpr size_t tile = 64;
  const Cl cl = open_cl();
  const cl_program program = build(cl, R"(
    #define TILE 64
    #define PYRAMID(name, AT)                                                                                 \
      __kernel void name(__global float* out, __global const float* in, int steps) {                          \
        __local float now[TILE], next[TILE];                                                                  \
        int x = get_local_id(0), at = AT;                                                                     \
        now[x] = in[at];                                                                                      \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                         \
        bool computed;                                                                                        \
        for (int i = 0; i < steps; i++) {                                                                     \
          computed = false;                                                                                   \
          if (x >= i + 1 && x <= TILE - i - 2) {                                                              \
            computed = true;                                                                                  \
            next[x] = 0.5f * now[x - 1] + 0.25f * now[x] + 0.25f * now[x + 1];                                \
          }                                                                                                   \
          barrier(CLK_LOCAL_MEM_FENCE);                                                                       \
          if (i == steps - 1) break;                                                                          \
          if (computed) now[x] = next[x];                                                                     \
          barrier(CLK_LOCAL_MEM_FENCE);                                                                       \
        }                                                                                                     \
        if (computed) out[at] = next[x];                                                                      \
      }
    PYRAMID(apart, get_global_id(0))
    PYRAMID(overlapping, (int)get_group_id(0) * (TILE - 2 * steps) + x)
  )");
  const cl_mem in = buffer_of(cl, noise<cl_float>(groups * tile, 1));
  for (const char* name : {"apart", "overlapping"}) {
    const cl_mem out = buffer_of(cl, noise<cl_float>(groups * tile, 2));
    const cl_kernel kernel = kernel_of(program, name);
    for (const cl_int steps : {7, 1, 20}) {
      set_args(kernel, out, in, steps);
      launch(cl, kernel, {groups * tile}, {tile});
    }
    report<cl_float>(cl, name, out, groups * tile);
  }
}
