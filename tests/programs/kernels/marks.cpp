// SPDX-License-Identifier: Apache-2.0
// Numbers that all work-groups store alike: flags, masks of nodes, and bytes that two arguments lead to.
// Other kernels read them, and some kernels only seem to store equal numbers.
#include "overlapping.h"

namespace {

constexpr const char* kSource = R"(
  uint mixed(uint x) {
    for (int k = 0; k < 200; ++k) x = x * 1664525u + 1013904223u;
    return x >> 8;
  }
  __kernel void search(__global const uchar* in, __global int* found, __global uchar* seen) {
    uint x = mixed(in[get_global_id(0)] + 3u * get_global_id(0));
    if (x % 1000u == 7u) *found = 1;
    if (x % 3u == 0u) seen[x & 1023u] = true;
  }
  __kernel void level(__global const uchar* in, __global float4* marks, __global double* far, int now) {
    uint x = mixed(in[get_global_id(0)]);
    if (x & 1u) marks[(x >> 2) & 63u] = (float4)(-0.0f);
    if (x & 2u) ((__global int*)far)[(x >> 4) & 63u] = now;
  }
  __kernel void look(__global const uchar* seen, __global const int* found, __global uint* out) {
    int i = get_global_id(0);
    out[i] = mixed(seen[i & 1023] + i) + *found;
  }
  __kernel void through_both(__global const uchar* in, __global uint* a, __global uint* b) {
    uint x = mixed(in[get_global_id(0)]);
    a[x & 63u] = 5u;
    b[(x >> 6) & 63u] = 5u;
  }
  __kernel void mark_and_look(__global const uchar* in, __global uint* a, __global const uint* b, __global uint* out) {
    uint x = mixed(in[get_global_id(0)]);
    a[x & 63u] = 5u;
    out[get_global_id(0)] = (b[x & 63u] == 77u) + x;
  }
  __kernel void bytes_and_words(__global const uchar* in, __global uint* words, __global uchar* bytes) {
    uint x = mixed(in[get_global_id(0)]);
    if (x & 64u) words[x & 63u] = 0x05050505u; else bytes[x & 255u] = 5;
  })";

void mark_through_two(const Cl& cl, cl_program program, cl_mem in, cl_mem out, size_t count) {
  const cl_mem whole = buffer_of(cl, std::vector<cl_uint>(1024, 11));
  const cl_kernel both = kernel_of(program, "through_both");
  const cl_kernel look = kernel_of(program, "mark_and_look");
  const cl_kernel widths = kernel_of(program, "bytes_and_words");
  with_overlapping(whole, [&](cl_mem a, cl_mem b) {
    set_args(both, in, a, b);
    launch(cl, both, {count}, {64});
    set_args(look, in, a, b, out);
    launch(cl, look, {count}, {64});
    report<cl_uint>(cl, "looked", out, count);
    set_args(widths, in, a, b);
    launch(cl, widths, {count}, {64});
  });
  report<cl_uint>(cl, "both", whole, 1024);
}

}  // namespace

int main(int argc, char** argv) {
  const size_t count = round_up(size_argument(argc, argv, 200000), 64);
  const Cl cl = open_cl();
  const cl_program program = build(cl, kSource);
  const cl_mem in = buffer_of(cl, noise<cl_uchar>(count, 5));
  const cl_mem out = new_buffer(cl, count * 4);
  const cl_mem found = buffer_of(cl, std::vector<cl_int>(1, 0));
  const cl_mem seen = buffer_of(cl, std::vector<cl_uchar>(1024, 0));
  const cl_kernel search = kernel_of(program, "search");
  const cl_kernel look = kernel_of(program, "look");
  set_args(search, in, found, seen);
  set_args(look, seen, found, out);
  for (int i = 0; i < 4; ++i) {
    launch(cl, search, {count}, {64});
    launch(cl, look, {count}, {64});
  }
  report<cl_int>(cl, "found", found, 1);
  report<cl_uchar>(cl, "seen", seen, 1024);
  report<cl_uint>(cl, "looked", out, count);

  const cl_mem marks = buffer_of(cl, noise<cl_uint>(256, 9));
  const cl_mem far = buffer_of(cl, noise<cl_uint>(64, 3));
  const cl_kernel level = kernel_of(program, "level");
  for (int now : {0, -1, 77}) {
    set_args(level, in, marks, far, now);
    launch(cl, level, {count}, {64});
    report<cl_uint>(cl, "marks", marks, 256);
    report<cl_uint>(cl, "far", far, 64);
  }
  mark_through_two(cl, program, in, out, count);
}
