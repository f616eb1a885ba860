// SPDX-License-Identifier: Apache-2.0
// What whole.spv was made from, by the script beside it. Kernels with images or volatile arguments run whole.
__constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

__kernel void picture(write_only image2d_t to) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(to, at, (float4)(at.x));
}

__kernel void sampled(read_only image2d_t from, __global float4* to) {
  int i = get_global_id(0);
  to[i] = read_imagef(from, nearest, (int2)(i, 0));
}

__kernel void flags(volatile __global int* flag) { flag[get_global_id(0)] = 1; }

void set(volatile __global int* flag) { *flag = 1; }

__kernel void by_function(__global int* flag) { set(flag + get_global_id(0)); }

__kernel void own_volatile(__global int* out, volatile __local int* kept) {
  kept[get_local_id(0)] = 1;
  out[get_global_id(0)] = kept[get_local_id(0)];
}

__kernel void plain(__global int* out) { out[get_global_id(0)] = 1; }
