// SPDX-License-Identifier: Apache-2.0
// Atomic operations on buffers: histograms, sums and extremes that all work-groups share, between kernels
// that read them. Some have two arguments that are the same buffer or overlap. Some use tickets, whose
// numbers are used.
#include "overlapping.h"

namespace {

constexpr const char* kSource = R"(
  uint mixed(uint x) {
    for (int k = 0; k < 200; ++k) x = x * 1664525u + 1013904223u;
    return x >> 8;
  }
  __kernel void histogram(__global const uchar* in, volatile __global uint* bins) {
    uint x = mixed(in[get_global_id(0)]);
    atomic_inc(&bins[in[get_global_id(0)]]);
    atomic_add(&bins[x & 255u], 3u);
  }
  __kernel void extremes(__global const uchar* in, __global int* least, __global uint* bits) {
    int x = (int)mixed(in[get_global_id(0)] * 77u + get_global_id(0)) - 5000000;
    atomic_min(&least[0], x);
    atomic_max(&least[1], x);
    atomic_or(&bits[0], 1u << (x & 31));
    atomic_xor(&bits[1], (uint)x);
    atomic_and(&bits[2], (uint)x | 0xffff0000u);
  }
  __kernel void reduce(__global const uchar* in, __global uint* sum, __local uint* part) {
    int l = get_local_id(0);
    part[l] = mixed(in[get_global_id(0)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
      if (l < s) part[l] += part[l + s];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) atomic_add(sum, part[0]);
  }
  __kernel void scale(__global const uint* bins, __global uint* out) {
    int i = get_global_id(0);
    out[i] = mixed(bins[i & 255]) + bins[255 - (i & 255)];
  }
  __kernel void add_through_both(__global const uchar* in, __global uint* a, __global uint* b) {
    uint x = mixed(in[get_global_id(0)]);
    atomic_add(&a[x & 63u], x);
    atomic_sub(&b[(x >> 6) & 63u], 1u);
  }
  __kernel void add_and_look(__global const uchar* in, __global uint* sums, __global const uint* table, __global uint* out) {
    uint x = mixed(in[get_global_id(0)]);
    atomic_add(&sums[x & 63u], 0u);
    out[get_global_id(0)] = table[x & 63u] + x;
  }
  __kernel void ticket(__global uint* next, __global uint* seen) {
    atomic_inc(&seen[atomic_inc(next) & 1023u]);
  })";

void show_tickets(const Cl& cl, cl_program program, size_t count) {
  const cl_mem next = buffer_of(cl, std::vector<cl_uint>(1, 0));
  const cl_mem seen = buffer_of(cl, std::vector<cl_uint>(1024, 0));
  const cl_kernel ticket = kernel_of(program, "ticket");
  set_args(ticket, next, seen);
  launch(cl, ticket, {count}, {64});
  report<cl_uint>(cl, "tickets", seen, 1024);
}

}  // namespace

int main(int argc, char** argv) {
  const size_t count = round_up(size_argument(argc, argv, 200000), 64);
  const Cl cl = open_cl();
  const cl_program program = build(cl, kSource);
  const cl_mem in = buffer_of(cl, noise<cl_uchar>(count, 5));
  const cl_mem bins = buffer_of(cl, std::vector<cl_uint>(256, 7));
  const cl_mem out = new_buffer(cl, count * 4);
  const cl_kernel histogram = kernel_of(program, "histogram");
  const cl_kernel scale = kernel_of(program, "scale");
  set_args(histogram, in, bins);
  set_args(scale, bins, out);
  for (int i = 0; i < 4; ++i) {
    launch(cl, histogram, {count}, {64});
    launch(cl, scale, {count}, {64});
  }
  report<cl_uint>(cl, "histogram", bins, 256);
  report<cl_uint>(cl, "scaled", out, count);

  const cl_mem least = buffer_of(cl, std::vector<cl_int>{0, 0});
  const cl_mem bits = buffer_of(cl, std::vector<cl_uint>{0, 5, 0xffffffff});
  const cl_kernel extremes = kernel_of(program, "extremes");
  set_args(extremes, in, least, bits);
  for (int i = 0; i < 3; ++i)
    launch(cl, extremes, {count}, {64});
  report<cl_int>(cl, "least and most", least, 2);
  report<cl_uint>(cl, "bits", bits, 3);

  const cl_mem sum = buffer_of(cl, std::vector<cl_uint>(1, 0));
  const cl_kernel reduce = kernel_of(program, "reduce");
  set_args(reduce, in, sum);
  CL_CHECK(clSetKernelArg(reduce, 2, 64 * sizeof(cl_uint), nullptr));
  for (int i = 0; i < 5; ++i)
    launch(cl, reduce, {count}, {64});
  report<cl_uint>(cl, "sum", sum, 1);

  const cl_mem whole = buffer_of(cl, std::vector<cl_uint>(1024, 11));
  const cl_kernel both = kernel_of(program, "add_through_both");
  const cl_kernel look = kernel_of(program, "add_and_look");
  with_overlapping(whole, [&](cl_mem a, cl_mem b) {
    set_args(both, in, a, b);
    launch(cl, both, {count}, {64});
    set_args(look, in, a, b, out);
    launch(cl, look, {count}, {64});
    report<cl_uint>(cl, "looked", out, count);
  });
  report<cl_uint>(cl, "both", whole, 1024);

  show_tickets(cl, program, count);
}
