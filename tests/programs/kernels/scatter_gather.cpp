// SPDX-License-Identifier: Apache-2.0
// Addresses that come out of memory: gather, scatter by a permutation, and a histogram with atomics. Where
// the writes go cannot be known before the kernel has run.
#include "program.h"

#include <numeric>

namespace {

constexpr const char* kSource = R"(
  __kernel void gather(__global const int* in, __global const int* index, __global int* out, int n) {
    int i = get_global_id(0);
    if (i < n) {
      int x = in[index[i]];
      for (int k = 0; k < 100; ++k) x = x * 31 + k;
      out[i] = x;
    }
  }
  __kernel void scatter(__global const int* in, __global const int* index, __global int* out, int n) {
    int i = get_global_id(0);
    if (i < n) {
      int x = in[i];
      for (int k = 0; k < 100; ++k) x = x * 31 + k;
      out[index[i]] = x;
    }
  }
  __kernel void histogram(__global const int* in, __global int* bins, int n) {
    int i = get_global_id(0);
    if (i < n) {
      int x = in[i];
      for (int k = 0; k < 50; ++k) x = x * 31 + k;
      atomic_add(&bins[x & 255], 1);
      atomic_max(&bins[256], x);
    }
  }
  __kernel void ticket(__global int* next, __global int* seen) {
    int mine = atomic_inc(next);  // every work-item gets another number
    seen[mine] += 1;
  })";

}  // namespace

int main(int argc, char** argv) {
  const size_t count = size_argument(argc, argv, 200000);
  const Cl cl = open_cl();
  const cl_program program = build(cl, kSource);
  std::vector<cl_int> permutation(count);
  std::iota(permutation.begin(), permutation.end(), 0);
  const std::vector<cl_uint> random = noise<cl_uint>(count, 77);
  for (size_t i = count; i > 1; --i)
    std::swap(permutation[i - 1], permutation[(random[i - 1] * 7919u + i) % i]);
  const cl_mem in = buffer_of(cl, noise<cl_int>(count, 1));
  const cl_mem index = buffer_of(cl, permutation, CL_MEM_READ_ONLY);
  const cl_mem out = new_buffer(cl, count * 4);
  const size_t global = round_up(count, 64);
  for (const char* name : {"gather", "scatter", "gather", "scatter"}) {
    const cl_kernel kernel = kernel_of(program, name);
    set_args(kernel, in, index, out, cl_int(count));
    launch(cl, kernel, {global}, {64});
    report<cl_int>(cl, name, out, count);
    set_args(kernel, out, index, in, cl_int(count));
    launch(cl, kernel, {global}, {64});
  }
  report<cl_int>(cl, "back and forth", in, count);
  const cl_mem bins = buffer_of(cl, std::vector<cl_int>(257, 0));
  const cl_kernel histogram = kernel_of(program, "histogram");
  set_args(histogram, in, bins, cl_int(count));
  for (int i = 0; i < 3; ++i)
    launch(cl, histogram, {global}, {64});
  report<cl_int>(cl, "histogram", bins, 257);
  const cl_mem next = buffer_of(cl, std::vector<cl_int>(1, 0));
  const cl_mem seen = buffer_of(cl, std::vector<cl_int>(global, 0));
  const cl_kernel ticket = kernel_of(program, "ticket");
  set_args(ticket, next, seen);
  launch(cl, ticket, {global}, {64});
  report<cl_int>(cl, "tickets", seen, global);
}
