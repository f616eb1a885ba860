// SPDX-License-Identifier: Apache-2.0
// Arguments belong to the launch, not to the kernel object. They change right after each enqueue, and host
// memory handed to clSetKernelArg is overwritten at once. Two kernel objects of one function are
// independent.
#include "program.h"

struct Pair {
  cl_int a;
  cl_float b;
};

int main(int argc, char** argv) {
  const size_t count = size_argument(argc, argv, 80000);
  const Cl cl = open_cl();
  const cl_program program = build(cl, R"(
    typedef struct { int a; float b; } Pair;
    __kernel void stir(__global int* out, Pair pair, int4 vector, int rounds) {
      int i = get_global_id(0), x = i + vector.y;
      for (int k = 0; k < rounds; ++k) x = x * pair.a + (int)(pair.b * 4.0f) + vector.z;
      out[i] = x;
    })");
  const cl_kernel one = kernel_of(program, "stir");
  const cl_kernel two = kernel_of(program, "stir");
  std::vector<cl_mem> buffers;
  Pair pair = {0, 0};
  for (int i = 0; i < 8; ++i) {
    buffers.push_back(new_buffer(cl, count * 4));
    pair = {i + 2, float(i) * 0.25f};
    cl_int4 vector = {{i, i * 10, i * 100, -1}};
    set_args(i % 2 ? one : two, buffers.back(), pair, vector, cl_int(150));
    launch(cl, i % 2 ? one : two, {count}, {50});
    pair = {-1, -1};
    vector.s[1] = -5;
    const cl_int wrong = 1;
    CL_CHECK(clSetKernelArg(i % 2 ? one : two, 0, sizeof(cl_mem), &buffers.front()));
    CL_CHECK(clSetKernelArg(i % 2 ? one : two, 3, sizeof(wrong), &wrong));
  }
  for (const cl_mem buffer : buffers)
    report<cl_int>(cl, "launch", buffer, count);
}
