// SPDX-License-Identifier: Apache-2.0
// One step of N bodies under each other's gravity, a tile of bodies at a time in local memory. It is one of
// the kernels of the MKMD paper (Table 1). Its cost is the eighth argument over the size of a work-group.
#include "harness.h"

#include <cmath>

using namespace bench;

extern const char* const kernel_source;
const char* const kernel_source = R"(
// Bodies are x, y, z and mass; velocities x, y, z and nothing.
__kernel void nbody(__global float4* new_position, __global float4* new_velocity,
                    __global const float4* position, __global const float4* velocity, float seconds,
                    float damping, float softening, int bodies, __local float4* tile) {
  const int i = get_global_id(0);
  const int lane = get_local_id(0);
  const int lanes = get_local_size(0);
  const float4 me = i < bodies ? position[i] : (float4)(0.0f);
  float ax = 0.0f, ay = 0.0f, az = 0.0f;
  for (int begin = 0; begin < bodies; begin += lanes) {
    tile[lane] = begin + lane < bodies ? position[begin + lane] : (float4)(0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < lanes; ++k) {
      const float4 other = tile[k];
      const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
      const float inverse = 1.0f / sqrt(dx * dx + dy * dy + dz * dz + softening);
      const float scale = other.w * inverse * inverse * inverse;
      ax += dx * scale;
      ay += dy * scale;
      az += dz * scale;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i < bodies) {
    float4 v = velocity[i];
    v.x = (v.x + ax * seconds) * damping;
    v.y = (v.y + ay * seconds) * damping;
    v.z = (v.z + az * seconds) * damping;
    new_velocity[i] = v;
    new_position[i] = (float4)(me.x + v.x * seconds, me.y + v.y * seconds, me.z + v.z * seconds, me.w);
  }
}
)";

int main(int argc, char** argv) {
  constexpr float seconds = 0.01f, damping = 0.995f, softening = 0.01f;
  Harness h(argc, argv, {.size = 8192, .group = 64});
  const size_t n = size_t(h.size());
  const auto positive = [&](std::vector<float>& values, Random& random) {
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = i % 4 == 3 ? random.uniform(0, 1) / float(h.size()) : random.uniform(-1, 1);
  };
  const auto still = [](std::vector<float>& values, Random& random) {
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = i % 4 == 3 ? 0 : random.uniform(-1, 1);
  };
  const Input& position = h.input(4 * n, positive);
  const Input& velocity = h.input(4 * n, still);
  const Buffer new_position = h.buffer(4 * n), new_velocity = h.buffer(4 * n);

  const auto enqueue = [&] {
    h.launch("nbody", {n}, {size_t(h.group())}, new_position, new_velocity, position, velocity, seconds,
             damping, softening, h.size(), LocalFloats{4 * size_t(h.group())});
  };
  const auto reference = [&] {
    Matrix expected(int(4 * n), 1);
    for (size_t i = 0; i < n; ++i) {
      const float* me = &position.host[4 * i];
      double force[3] = {0, 0, 0};
      for (size_t k = 0; k < n; ++k) {
        const float* other = &position.host[4 * k];
        const double d[3] = {double(other[0]) - me[0], double(other[1]) - me[1], double(other[2]) - me[2]};
        const double scale =
            other[3] / std::pow(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + double(softening), 1.5);
        for (int c = 0; c < 3; ++c)
          force[c] += d[c] * scale;
      }
      for (size_t c = 0; c < 3; ++c) {
        const double v = (velocity.host[4 * i + c] + force[c] * double(seconds)) * double(damping);
        expected.values[4 * i + c] = me[c] + v * double(seconds);
      }
      expected.values[4 * i + 3] = me[3];
    }
    return expected;
  };
  return h.run(new_position, enqueue, reference);
}
