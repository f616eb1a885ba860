// SPDX-License-Identifier: Apache-2.0
// One time step of finite differences on a cube of N points a side, radius 4: a work-item per column in z
// walks it. One of the kernels of the MKMD paper (Table 1), whose cost is the sixth argument, the depth. The
// cube has a margin of four points, which stays as it is.
#include "harness.h"

using namespace bench;

extern const char* const kernel_source;
const char* const kernel_source = R"(
#define RADIUS 4
__kernel void fdtd3d(__global float* output, __global const float* input, __constant float* coefficient,
                     int width, int height, int depth) {
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  if (x >= width || y >= height)
    return;
  const int row = width + 2 * RADIUS;
  const int plane = row * (height + 2 * RADIUS);
  const int first = RADIUS * plane + (y + RADIUS) * row + x + RADIUS;
  for (int z = 0; z < depth; ++z) {
    const int at = first + z * plane;
    float sum = coefficient[0] * input[at];
    for (int r = 1; r <= RADIUS; ++r)
      sum += coefficient[r] * (input[at - r] + input[at + r] + input[at - r * row] + input[at + r * row] +
                               input[at - r * plane] + input[at + r * plane]);
    output[at] = sum;
  }
}
)";

int main(int argc, char** argv) {
  constexpr size_t radius = 4;
  Harness h(argc, argv, {.size = 160, .group = 16});
  const size_t n = size_t(h.size()), side = n + 2 * radius;
  const Input& input = h.input(side * side * side, [](std::vector<float>& values, Random& random) {
    for (float& value : values)
      value = random.uniform(-1, 1);
  });
  const Input& coefficient = h.input(radius + 1, [](std::vector<float>& values, Random&) {
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = 0.1f / float(1 + i);
  });
  const Buffer output = h.buffer(side * side * side);

  const auto enqueue = [&] {
    h.fill(output, 0.0f);
    h.launch("fdtd3d", {n, n}, {size_t(h.group()), 4}, output, input, coefficient, h.size(), h.size(),
             h.size());
  };
  const auto reference = [&] {
    Matrix expected(int(side * side * side), 1);
    const size_t strides[3] = {1, side, side * side};
    for (size_t z = radius; z < radius + n; ++z)
      for (size_t y = radius; y < radius + n; ++y)
        for (size_t x = radius; x < radius + n; ++x) {
          const size_t at = (z * side + y) * side + x;
          double sum = double(coefficient.host[0]) * input.host[at];
          for (size_t r = 1; r <= radius; ++r)
            for (const size_t stride : strides)
              sum += double(coefficient.host[r]) *
                     (double(input.host[at - r * stride]) + input.host[at + r * stride]);
          expected.values[at] = sum;
        }
    return expected;
  };
  return h.run(output, enqueue, reference);
}
