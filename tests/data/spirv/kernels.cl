// SPDX-License-Identifier: Apache-2.0
// What kernels.spv was made from, by the script beside it.
__constant float weights[4] = {0.25f, 0.5f, 2.0f, 4.0f};

float twice(float x) { return x * 2.0f; }

__kernel void scale(__global const float* in, __global float* out, float by, int n) {
  int i = get_global_id(0);
  if (i < n) out[i] = twice(in[i]) * by + weights[i & 3];
}

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void turn(__global int* data, __local int* kept) {
  int l = get_local_id(0), last = get_local_size(0) - 1;
  kept[l] = data[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] = kept[last - l];
}

__kernel void product(__global const float* a, __global const float* b, __global float* c, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}

__kernel void by_group(__global int* out) { out[get_global_id(0)] = get_group_id(0) * 10 + get_num_groups(0); }

__kernel void scatter(__global const int* where, __global int* out) { out[where[get_global_id(0)]] = 1; }

__kernel void count(__global int* counts, __global const uchar* data) { atomic_inc(&counts[data[get_global_id(0)]]); }

__kernel void shifted(__global int* out, int by) { out[get_global_id(0) * 2 + ((5 >> by) & 1)] = by; }

__kernel void limits(__global int* out, __global const float* in, uint most) {
  size_t i = get_global_id(0);
  out[i * 8 + (convert_int_sat(in[i]) & 7)] = clamp((int)i, 1, 5) + (int)max(most, (uint)i);
}
