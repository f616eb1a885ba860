// SPDX-License-Identifier: Apache-2.0
// Kernels built with the options that let a compiler reassociate. Every way of generating code for them
// rounds differently. So only one and the same way gives the same bits.
#include "program.h"

namespace {

constexpr char source[] = R"(
  __kernel void n_body(__global const float4* bodies, __global float4* forces, int count) {
    int i = get_global_id(0);
    float4 me = bodies[i];
    float4 sum = 0.0f;
    for (int j = 0; j < count; ++j) {
      float4 d = bodies[j] - me;
      float squared = d.x * d.x + d.y * d.y + d.z * d.z + 0.01f;
      sum += d * (bodies[j].w / (squared * sqrt(squared)));
    }
    forces[i] = sum;
  }
  __kernel void dot_rows(__global const float* rows, __global float* dots, int width) {
    int i = get_global_id(0);
    float sum = 0.0f;
    for (int j = 0; j < width; ++j) sum += rows[i * width + j] * rows[((i + 1) % 64) * width + j] / (1.0f + j);
    dots[i] = exp(sum) / (sum + 3.0f) + native_sin(sum);
  })";

void run(const Cl& cl, const char* options) {
  constexpr int count = 2048;
  constexpr int width = 2048;
  const cl_program program = build(cl, source, options);
  const cl_mem bodies = buffer_of(cl, noise<float>(count * 4, 4));
  const cl_mem rows = buffer_of(cl, noise<float>(count * width, 5));
  const cl_mem forces = new_buffer(cl, count * 4 * sizeof(float));
  const cl_mem dots = new_buffer(cl, count * sizeof(float));
  const cl_kernel n_body = kernel_of(program, "n_body");
  const cl_kernel dot_rows = kernel_of(program, "dot_rows");
  set_args(n_body, bodies, forces, count);
  set_args(dot_rows, rows, dots, width);
  for (int i = 0; i < 3; ++i) {
    launch(cl, n_body, {count}, {64});
    launch(cl, dot_rows, {count}, {64});
  }
  std::printf("built with '%s'\n", options);
  report<cl_float>(cl, "forces", forces, count * 4);
  report<cl_float>(cl, "dots", dots, count);
}

}  // namespace

int main() {
  const Cl cl = open_cl();
  run(cl, "");
  run(cl, "-cl-mad-enable");
  run(cl, "-cl-no-signed-zeros -cl-finite-math-only");
  run(cl, "-cl-unsafe-math-optimizations");
  run(cl, "-cl-fast-relaxed-math");
  close_cl(cl);
  return 0;
}
