// SPDX-License-Identifier: Apache-2.0
// A kernel that stores addresses in a buffer for a later kernel to follow: a list through an array. Buffers
// must not move between the launches.
#include "program.h"

int main() {
  constexpr int count = 50000;
  const Cl cl = open_cl();
  const cl_program program = build(cl, R"(
    typedef struct Node { ulong next; int value; int pad; } Node;
    __kernel void build_list(__global Node* nodes, int n) {
      int i = get_global_id(0);
      nodes[i].next = (ulong)(&nodes[(i * 7 + 3) % n]);
      nodes[i].value = i * 3;
      nodes[i].pad = 0;
    }
    __kernel void follow(__global Node* nodes, __global int* out, int steps) {
      int i = get_global_id(0);
      __global Node* node = &nodes[i];
      int sum = 0;
      for (int k = 0; k < steps; ++k) {
        sum = sum * 3 + node->value;
        node = (__global Node*)node->next;
      }
      out[i] = sum;
    })");
  const cl_mem nodes = new_buffer(cl, count * 16);
  const cl_mem out = new_buffer(cl, count * 4);
  const cl_kernel make = kernel_of(program, "build_list");
  const cl_kernel follow = kernel_of(program, "follow");
  set_args(make, nodes, cl_int(count));
  launch(cl, make, {count}, {50});
  set_args(follow, nodes, out, cl_int(60));
  for (int i = 0; i < 2; ++i)
    launch(cl, follow, {count}, {50});
  report<cl_int>(cl, "sums", out, count);
}
