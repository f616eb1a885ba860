// SPDX-License-Identifier: Apache-2.0
// Sums and extrema, per work-group in local memory, over several launches until one value is left. The
// "last group" form has an atomic counter whose result decides who goes on. It must not be split.
#include "program.h"

namespace {

constexpr const char* kSource = R"(
  __kernel void sum(__global const int* in, __global int* out, __local int* tile, int n) {
    int i = get_global_id(0), lane = get_local_id(0);
    tile[lane] = i < n ? in[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
      if (lane < s) tile[lane] += tile[lane + s];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0) out[get_group_id(0)] = tile[0];
  }
  // Grid-stride: depends on the real global size.
  __kernel void largest(__global const float* in, __global float* out, int n) {
    float best = -INFINITY;
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
      float x = in[i];
      for (int k = 0; k < 20; ++k) x = x * 0.75f + 0.1f;
      best = fmax(best, x);
    }
    out[get_global_id(0)] = best;
  }
  __kernel void last_group(__global const int* in, __global int* partial, __global int* counter,
                           __global int* out, int n) {
    __local int tile[64];
    __local int is_last;
    int lane = get_local_id(0), i = get_global_id(0);
    tile[lane] = i < n ? in[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0) {
      int s = 0;
      for (int k = 0; k < 64; ++k) s += tile[k];
      atomic_xchg(&partial[get_group_id(0)], s);
      is_last = atomic_inc(counter) == (int)get_num_groups(0) - 1;
      if (is_last) {
        s = 0;
        for (int g = 0; g < (int)get_num_groups(0); ++g) s += atomic_add(&partial[g], 0);
        out[0] = s;
      }
    }
  })";

}  // namespace

int main(int argc, char** argv) {
  const size_t count = size_argument(argc, argv, 1000000);
  const Cl cl = open_cl();
  const cl_program program = build(cl, kSource);
  const cl_kernel sum = kernel_of(program, "sum");
  cl_mem data = buffer_of(cl, noise<cl_int>(count, 1));
  const cl_mem original = data;
  for (size_t left = count; left > 1;) {
    const size_t groups = round_up(left, 128) / 128;
    const cl_mem next = new_buffer(cl, groups * 4);
    set_args(sum, data, next, Local{128 * 4}, cl_int(left));
    launch(cl, sum, {groups * 128}, {128});
    data = next;
    left = groups;
  }
  std::printf("sum %d\n", read<cl_int>(cl, data, 1)[0]);
  const cl_kernel largest = kernel_of(program, "largest");
  const cl_mem floats = buffer_of(cl, noise<cl_float>(count, 2));
  const cl_mem maxima = new_buffer(cl, 512 * 4);
  set_args(largest, floats, maxima, cl_int(count));
  launch(cl, largest, {512}, {8});
  report<cl_float>(cl, "largest", maxima, 512);
  const cl_kernel last = kernel_of(program, "last_group");
  const size_t groups = round_up(count, 64) / 64;
  const cl_mem partial = new_buffer(cl, groups * 4);
  const cl_mem counter = buffer_of(cl, std::vector<cl_int>(1, 0));
  const cl_mem out = new_buffer(cl, 4);
  set_args(last, original, partial, counter, out, cl_int(count));
  launch(cl, last, {groups * 64}, {64});
  std::printf("last group %d counter %d\n", read<cl_int>(cl, out, 1)[0], read<cl_int>(cl, counter, 1)[0]);
}
