// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

namespace fuzz {

const std::vector<Source>& sources() {
  static const std::vector<Source> kSources = {
      {R"(
#ifndef SALT
#define SALT 1
#endif
__kernel void stir(__global uint* a, uint first, uint n, uint rounds, uint salt) {
  uint i = get_global_id(0);
  if (i >= n) return;
  uint x = a[first + i];
  for (uint k = 0; k < rounds; ++k) x = x * 1664525u + 1013904223u;
  a[first + i] = x ^ i ^ salt;
}
__kernel void blend(__global const uint* in, __global uint* out, uint in_first, uint out_first, uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  uint next = i + 1 < n ? i + 1 : i;
  out[out_first + i] = in[in_first + i] * 3u + in[in_first + next];
}
__kernel void nothing(void) {}
)",
       {kStir, kBlend, kNothing}},
      {R"(
__kernel void turn(__global const uint* in, __global uint* out, uint in_first, uint out_first, __local uint* tile) {
  uint i = get_global_id(0), l = get_local_id(0);
  tile[l] = in[in_first + i];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[out_first + i] = tile[get_local_size(0) - 1 - l];
}
__kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void fixed(__global uint* a, uint first, uint n) {
  uint i = get_global_id(0);
  if (i < n) a[first + i] += i * 5u + (uint)get_local_size(0);
}
typedef struct { uint x, y; } pair;
__kernel void pick(__global uint* a, uint first, uint n, pair p) {
  uint i = get_global_id(0);
  if (i < n) a[first + i] = a[first + i] * p.x + p.y;
}
)",
       {kTurn, kFixed, kPick}},
      {R"(
__kernel void grid(__global uint* a, uint first, uint width, uint height, uint salt) {
  uint x = get_global_id(0), y = get_global_id(1);
  if (x < width && y < height) a[first + y * width + x] += x * 7u + y * 13u + salt;
}
__kernel void box(__global uint* a, uint first, uint width, uint height, uint depth) {
  uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  if (x < width && y < height && z < depth) a[first + (z * height + y) * width + x] ^= x + 100u * y + 10000u * z;
}
__kernel void count(__global const uint* in, __global uint* out, uint in_first, uint out_first, uint n) {
  uint i = get_global_id(0);
  if (i < n) atomic_add(out + out_first, in[in_first + i] & 15u);
}
)",
       {kGrid, kBox, kCount}},
  };
  return kSources;
}

const char* kernel_name(KernelKind kind) {
  static const char* const kNames[kKinds] = {"stir",  "blend", "turn", "grid",   "count",
                                             "fixed", "pick",  "box",  "nothing"};
  return kNames[kind];
}

void run_model(KernelKind kind, const LaunchValues& v, const uint32_t* in, uint32_t* out) {
  switch (kind) {
  case kStir:
    for (uint32_t i = 0; i < v.count; ++i) {
      uint32_t x = out[i];
      for (uint32_t k = 0; k < v.rounds; ++k)
        x = x * 1664525u + 1013904223u;
      out[i] = x ^ i ^ v.salt;
    }
    return;
  case kBlend:
    for (uint32_t i = 0; i < v.count; ++i)
      out[i] = in[i] * 3u + in[i + 1 < v.count ? i + 1 : i];
    return;
  case kTurn:
    for (uint32_t i = 0; i < v.count; ++i)
      out[i] = in[i / v.local * v.local + v.local - 1 - i % v.local];
    return;
  case kGrid:
    for (uint32_t y = 0; y < v.height; ++y) {
      for (uint32_t x = 0; x < v.width; ++x)
        out[y * v.width + x] += x * 7u + y * 13u + v.salt;
    }
    return;
  case kBox:
    for (uint32_t z = 0; z < v.depth; ++z) {
      for (uint32_t y = 0; y < v.height; ++y) {
        for (uint32_t x = 0; x < v.width; ++x)
          out[(z * v.height + y) * v.width + x] ^= x + 100u * y + 10000u * z;
      }
    }
    return;
  case kCount:
    for (uint32_t i = 0; i < v.count; ++i)
      out[0] += in[i] & 15u;
    return;
  case kFixed:
    for (uint32_t i = 0; i < v.count; ++i)
      out[i] += i * 5u + 16u;
    return;
  case kPick:
    for (uint32_t i = 0; i < v.count; ++i)
      out[i] = out[i] * v.pair.x + v.pair.y;
    return;
  default:
    return;
  }
}

}  // namespace fuzz
