// SPDX-License-Identifier: Apache-2.0
// Sub-buffers as kernel arguments, mixed with their parent and with each other in one chain of commands.
#include "program.h"

int main(int argc, char** argv) {
  const size_t count = size_argument(argc, argv, 65536);  // elements of a quarter; a multiple of 1024
  const size_t bytes = count * sizeof(cl_int);
  const Cl cl = open_cl();
  const cl_program program = build(cl, R"(
    __kernel void stir(__global const int* in, __global int* out, int rounds) {
      int i = get_global_id(0), x = in[i];
      for (int k = 0; k < rounds; ++k) x = x * 31 + k;
      out[i] = x;
    })");
  const cl_kernel kernel = kernel_of(program, "stir");
  const cl_mem whole = buffer_of(cl, noise<cl_int>(4 * count, 3));
  const cl_mem other = new_buffer(cl, 4 * bytes);
  cl_mem quarters[4];
  for (size_t q = 0; q < 4; ++q)
    quarters[q] = part(whole, q * bytes, bytes);
  const cl_mem middle = part(whole, bytes, 2 * bytes);  // overlaps quarters 1 and 2
  for (int round = 0; round < 3; ++round) {
    set_args(kernel, quarters[0], quarters[3], cl_int(100));
    launch(cl, kernel, {count}, {64});
    set_args(kernel, quarters[3], quarters[1], cl_int(120));
    launch(cl, kernel, {count}, {64});
    set_args(kernel, middle, other, cl_int(80));
    launch(cl, kernel, {2 * count}, {64});
    CL_CHECK(clEnqueueCopyBuffer(cl.queue, other, quarters[2], bytes, 0, bytes, 0, nullptr, nullptr));
    set_args(kernel, whole, other, cl_int(60));
    launch(cl, kernel, {4 * count}, {64});
    CL_CHECK(clEnqueueCopyBuffer(cl.queue, other, whole, 0, 0, bytes, 0, nullptr, nullptr));
  }
  report<cl_int>(cl, "whole", whole, 4 * count);
  report<cl_int>(cl, "middle", middle, 2 * count);
  for (const cl_mem quarter : quarters)
    report<cl_int>(cl, "quarter", quarter, count);
  // Some drivers take a copy that leaves a sub-buffer, but not its parent.
  set_args(kernel, other, whole, cl_int(30));
  launch(cl, kernel, {4 * count}, {64});
  SHOW(clEnqueueCopyBuffer(cl.queue, quarters[1], other, 0, 0, 2 * bytes, 0, nullptr, nullptr));
  report<cl_int>(cl, "copied", other, 4 * count);
  // A sub-buffer keeps its parent alive.
  const cl_mem parent = buffer_of(cl, noise<cl_int>(count, 8));
  const cl_mem child = part(parent, bytes / 2, bytes / 2);
  CL_CHECK(clReleaseMemObject(parent));
  set_args(kernel, child, other, cl_int(10));
  launch(cl, kernel, {count / 2}, {64});
  report<cl_int>(cl, "child", other, count / 2);
  cl_mem associated = nullptr;
  size_t offset = 0;
  CL_CHECK(clGetMemObjectInfo(middle, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(associated), &associated, nullptr));
  CL_CHECK(clGetMemObjectInfo(middle, CL_MEM_OFFSET, sizeof(offset), &offset, nullptr));
  std::printf("parent %d offset %zu\n", int(associated == whole), offset / sizeof(cl_int) / count);
}
