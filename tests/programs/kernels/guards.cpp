// SPDX-License-Identifier: Apache-2.0
// Writes that do not happen everywhere: guards on the index, on data, early returns, strided and reversed
// writes, several outputs per work-item. What is not written must keep its old value.
#include "program.h"

namespace {

constexpr const char* kSource = R"(
  int work(int x) {
    for (int k = 0; k < 120; ++k) x = x * 31 + k;
    return x;
  }
  __kernel void bounded(__global const int* in, __global int* out, int from, int to) {
    int i = get_global_id(0);
    if (i >= from && i < to) out[i] = work(in[i]);
  }
  __kernel void by_data(__global const int* in, __global int* out, int n) {
    int i = get_global_id(0);
    if (i < n && in[i] % 3 == 0) out[i] = work(in[i]);
  }
  __kernel void early(__global const int* in, __global int* out, int n) {
    int i = get_global_id(0);
    if (i >= n) return;
    int x = in[i];
    if (x > 900) return;
    out[i] = work(x);
  }
  __kernel void strided(__global const int* in, __global int* out, int n) {
    int i = get_global_id(0);
    if (3 * i < n) out[3 * i] = work(in[i]);
  }
  __kernel void reversed(__global const int* in, __global int* out, int n) {
    int i = get_global_id(0);
    if (i < n) out[n - 1 - i] = work(in[i]);
  }
  __kernel void pairs(__global const int* in, __global int* out, int n) {
    int i = get_global_id(0);
    if (2 * i + 1 < n) {
      int x = work(in[i]);
      out[2 * i] = x;
      out[2 * i + 1] = ~x;
    }
  }
  __kernel void loop_bound(__global const int* in, __global int* out, int n, int chunk) {
    int i = get_global_id(0);
    for (int k = i * chunk; k < min((i + 1) * chunk, n); ++k) out[k] = work(in[k]);
  })";

}  // namespace

int main(int argc, char** argv) {
  const size_t count = size_argument(argc, argv, 150000);
  const Cl cl = open_cl();
  const cl_program program = build(cl, kSource);
  const cl_mem in = buffer_of(cl, noise<cl_int>(count, 1));
  const cl_mem out = buffer_of(cl, noise<cl_int>(count, 2));
  const size_t global = round_up(count, 64);
  const cl_kernel bounded = kernel_of(program, "bounded");
  set_args(bounded, in, out, cl_int(count / 5), cl_int(count - count / 7));
  launch(cl, bounded, {global}, {64});
  report<cl_int>(cl, "bounded", out, count);
  for (const char* name : {"by_data", "early", "strided", "reversed", "pairs"}) {
    const cl_kernel kernel = kernel_of(program, name);
    set_args(kernel, in, out, cl_int(count));
    launch(cl, kernel, {global}, {64});
    report<cl_int>(cl, name, out, count);
    set_args(kernel, out, in, cl_int(count / 2));
    launch(cl, kernel, {global}, {64});
  }
  const cl_kernel loop = kernel_of(program, "loop_bound");
  set_args(loop, in, out, cl_int(count), cl_int(37));
  launch(cl, loop, {round_up(count / 37 + 1, 32)}, {32});
  report<cl_int>(cl, "loop_bound", out, count);
  report<cl_int>(cl, "in", in, count);
}
