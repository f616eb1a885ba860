// SPDX-License-Identifier: Apache-2.0
// Very small work: launches of 1 to 200 work-items, one work-group, one work-item, empty effects; the
// results of each feed the next.
#include "program.h"

int main() {
  const Cl cl = open_cl();
  const cl_program program = build(cl, R"(
    __kernel void stir(__global int* data, int m) { data[get_global_id(0)] = data[get_global_id(0)] * m + 1; }
    __kernel void total(__global const int* data, __global int* sum, int n) {
      int s = 0;
      for (int i = 0; i < n; ++i) s += data[i];
      sum[0] += s;
    }
    __kernel void nothing(__global int* data) {}
    __kernel void private_only(int x) { int y[4]; y[x & 3] = x; })");
  const cl_kernel stir = kernel_of(program, "stir");
  const cl_kernel total = kernel_of(program, "total");
  const cl_kernel nothing = kernel_of(program, "nothing");
  const cl_kernel private_only = kernel_of(program, "private_only");
  const cl_mem data = buffer_of(cl, noise<cl_int>(200, 1));
  const cl_mem sum = buffer_of(cl, std::vector<cl_int>(1, 0));
  set_args(nothing, data);
  set_args(private_only, cl_int(2));
  for (size_t n = 1; n <= 200; ++n) {
    set_args(stir, data, cl_int(n));
    launch(cl, stir, {n});
    set_args(total, data, sum, cl_int(n));
    launch(cl, total, {1}, {1});
    if (n % 50 == 0) {
      launch(cl, nothing, {n});
      launch(cl, private_only, {n});
      std::printf("sum %d\n", read<cl_int>(cl, sum, 1)[0]);
    }
  }
  report<cl_int>(cl, "data", data, 200);
}
