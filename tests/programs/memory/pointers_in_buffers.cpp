// SPDX-License-Identifier: Apache-2.0
// Kernels that keep the address of one buffer in another, and kernels that follow it there: the buffer is
// none of their arguments. A large kernel changes it in between.
#include "program.h"

namespace {

// `keep` puts the address of `data` at the beginning of `kept`.
void run(const Cl& cl, cl_program program, const char* keep, size_t count) {
  const cl_kernel keeps = kernel_of(program, keep);
  const cl_kernel change = kernel_of(program, "change");
  const cl_kernel follow = kernel_of(program, "follow");
  const cl_mem data = buffer_of(cl, noise<cl_int>(count, 1));
  const cl_mem kept = buffer_of(cl, std::vector<cl_ulong>(8));
  const cl_mem out = new_buffer(cl, count * sizeof(cl_int));
  set_args(keeps, data, kept);
  set_args(change, data);
  set_args(follow, kept, out);
  launch(cl, keeps, {64}, {64});
  for (int i = 0; i < 3; ++i) {
    launch(cl, change, {count}, {64});
    launch(cl, follow, {count}, {64});
    report<cl_int>(cl, keep, out, count);
  }
  report<cl_int>(cl, "data", data, count);
}

}  // namespace

int main(int argc, char** argv) {
  const size_t count = size_argument(argc, argv, 1 << 16);
  const Cl cl = open_cl();
  const cl_program program = build(cl, R"(
    typedef struct { __global int* place; } Kept;
    __kernel void pointer(__global int* data, __global Kept* kept) {
      if (get_global_id(0) == 0) kept[0].place = data;
    }
    __kernel void parts(__global int* data, __global uint* kept) {
      __global int* place = data;
      if (get_global_id(0) < 2) {
        const uint2 both = vload2(0, (__private const uint*)&place);
        kept[get_global_id(0)] = get_global_id(0) == 0 ? both.x : both.y;
      }
    }
    __kernel void change(__global int* data) {
      int i = get_global_id(0), x = data[i];
      for (int k = 0; k < 2000; ++k) x = x * 31 + k;
      data[i] = x;
    }
    __kernel void follow(__global const Kept* kept, __global int* out) {
      const size_t i = get_global_id(0), last = get_global_size(0) - 1;
      out[i] = kept[0].place[last - i];
    })");
  run(cl, program, "pointer", count);
  run(cl, program, "parts", count);
  close_cl(cl);
}
