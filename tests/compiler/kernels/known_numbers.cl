// Floating-point numbers of which a compiler knows some, or parts. What it knows it computes itself, and rounds before it
// adds. So its code for pieces must know as much as its code for the whole launch.
//@ rest_of_id global=2048 local=16 : f32[2048] f32[2048]
//@ rest_of_id global=2048 local=64 : f32[2048] f32[2048]
__kernel void rest_of_id(__global const float* in, __global float* out) {
  int i = get_global_id(0);
  float rest = (float)(i & 15);
  out[i] = rest * 0.1f + in[i];
}
//@ rest_of_id_in_size_t global=2048 local=32 : f32[2048] f32[2048]
//@ rest_of_id_in_size_t global=2048 local=32 offset=32 : f32[2080] f32[2080]
__kernel void rest_of_id_in_size_t(__global const float* in, __global float* out) {
  size_t i = get_global_id(0);
  out[i] = 0.1f * (float)(i % 16) + in[i];
}
//@ local_id global=2048 local=64 : f32[2049] f32[6144]
//@ local_id global=1536 local=24 : f32[2049] f32[6144]
__kernel void local_id(__global const float* in, __global float* out) {
  int i = get_global_id(0);
  float number = (float)get_local_id(0);
  out[i] = number * 0.1f + in[i];
  out[i + 4096] = number * 0.3f + in[i + 1];
}
//@ share_of_group global=2048 local=64 : f32[2048] f32[2048]
__kernel void share_of_group(__global const float* in, __global float* out) {
  int i = get_global_id(0);
  float share = (float)get_local_id(0) / (float)get_local_size(0);
  out[i] = share * 0.3f + in[i];
}
//@ no_number global=512 local=8 : f32[512]
__kernel void no_number(__global float* out) {
  int i = get_global_id(0);
  float rest = (float)(i % 8);
  out[i] = rest / rest;
}
//@ too_large_a_number global=512 local=8 : f32[512]
__kernel void too_large_a_number(__global float* out) {
  int i = get_global_id(0);
  float rest = (float)(i & 7);
  out[i] = (float)(int)(rest * 1e9f);
}
//@ offset_in_local_memory global=512 local=16 : f32[512]
__kernel void offset_in_local_memory(__global float* out) {
  __local int kept;
  if (get_local_id(0) == 0) kept = get_global_offset(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  float number = (float)kept;
  out[get_global_id(0)] = number / number;
}
//@ offset_in_global_memory global=512 local=16 : f32[1024] i32[512]
__kernel void offset_in_global_memory(__global float* out, __global int* kept) {
  int i = get_global_id(0);
  kept[i] = get_global_offset(0);
  out[i] = 1;
  float number = (float)kept[i];
  out[i + 512] = number / number;
}
// In code for launches without an offset these are constants.
//@ number_of_offset global=64 local=8 : f32[64]
__kernel void number_of_offset(__global float* out) {
  float zero = (float)get_global_offset(0);
  out[get_global_id(0)] = zero / zero;
}
//@ number_by_offset global=64 local=8 : f32[64]
__kernel void number_by_offset(__global float* out) {
  float number = 0.0f;
  if (get_global_offset(0) > 3) number = out[get_local_id(0) + 8 * get_group_id(0)];
  out[get_global_id(0)] = number / number;
}
//@ number_of_product global=64 local=8 : f32[64]
__kernel void number_of_product(__global float* out) {
  out[get_global_id(0)] = 1.0f / convert_float(get_global_id(0) * get_global_offset(1));
}
//@ number_by_comparison global=64 local=8 : f32[64] f32[64]
__kernel void number_by_comparison(__global const float* in, __global float* out) {
  float number = 0;
  if (get_local_id(0) < get_global_offset(0)) number = in[get_global_id(0)];
  out[get_global_id(0)] = number / number;
}
//@ number_by_loop global=64 local=8 : f32[64] f32[64]
__kernel void number_by_loop(__global const float* in, __global float* out) {
  float number = 0;
  for (size_t k = 0; k < get_global_offset(0); ++k) number += in[k];
  out[get_global_id(0)] = number / number;
}
//@ number_of_sum global=64 local=8 : f32[64] i=3
__kernel void number_of_sum(__global float* out, int rounds) {
  size_t sum = 0;
  for (int k = 0; k < rounds; ++k) sum += get_global_offset(0);
  float number = sum;
  out[get_global_id(0)] = number / number;
}
//@ number_by_choice global=64 local=8 : f32[64] f32[64]
__kernel void number_by_choice(__global const float* in, __global float* out) {
  int n = 0;
  if (get_global_offset(0) > 3) n = (int)in[get_global_id(0)];
  float number = n;
  out[get_global_id(0)] = number / number;
}
__constant float table[] = {0, 1};
//@ number_in_table global=64 local=8 : f32[64]
__kernel void number_in_table(__global float* out) {
  float number = table[get_global_offset(0)];
  out[get_global_id(0)] = number / number;
}
//@ number_in_array global=64 local=8 : f32[64] i=1
__kernel void number_in_array(__global float* out, int at) {
  float numbers[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  numbers[get_global_offset(0)] = 0.0f;
  out[get_global_id(0)] = numbers[at & 7] / numbers[at & 7];
}
// Sizes of the whole launch: at least one group, and few of them where it is small.
//@ size_of_a_group apart global=960 local=24 : f32[960] f32[960]
__kernel void size_of_a_group(__global const float* in, __global float* out) {
  int i = get_global_id(0);
  float size = (float)(get_global_size(0) / get_num_groups(0));
  out[i] = size * 0.1f + in[i];
}
//@ any_groups apart global=64 local=8 : f32[64] f32[64]
__kernel void any_groups(__global const float* in, __global float* out) {
  int i = get_global_id(0);
  float number = (float)(get_num_groups(0) > 0) + 2.1f;
  out[i] = number * 0.1f + in[i];
}
//@ rest_of_size apart global=840 local=7 : f32[840] f32[840]
__kernel void rest_of_size(__global const float* in, __global float* out) {
  int i = get_global_id(0);
  float number = (float)(get_global_size(0) % get_local_size(0)) + 2.1f;
  out[i] = number * 0.1f + in[i];
}
//@ size_without_groups apart global=64 local=8 : f32[64] f32[64]
__kernel void size_without_groups(__global const float* in, __global float* out) {
  int i = get_global_id(0);
  float number = (float)(get_global_size(0) - get_num_groups(0) * get_local_size(0)) + 2.1f;
  out[i] = number * 0.1f + in[i];
}
//@ few_groups apart global=64 local=8 : f32[64] f32[64]
__kernel void few_groups(__global const float* in, __global float* out) {
  int i = get_global_id(0);
  float number = (float)(max((int)get_num_groups(0), 0) >> 20) + 2.1f;
  out[i] = number * 0.1f + in[i];
}
//@ bounded_groups apart global=64 local=8 : f32[64] f32[64]
__kernel void bounded_groups(__global const float* in, __global float* out) {
  int i = get_global_id(0);
  float number = (float)(get_num_groups(0) <= 8192 ? 1 : (int)get_num_groups(0)) + 2.1f;
  out[i] = number * 0.1f + in[i];
}
// Intel's compiler makes other code for a loop up to what the device says than for one up to an argument.
//@ up_to_the_size apart global=1022 local=7 : f32[1022] f32[1022] f32[1022]
__kernel void up_to_the_size(__global const float* a, __global const float* b, __global float* out) {
  int i = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < (int)get_global_size(0); k++) sum += a[k] * b[i];
  out[i] = sum;
}
//@ up_to_the_groups apart global=1022 local=7 : f32[1022] f32[1022] f32[1022]
__kernel void up_to_the_groups(__global const float* a, __global const float* b, __global float* out) {
  int i = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < (int)get_num_groups(0); k++) sum += a[k] * b[i];
  out[i] = sum;
}
//@ up_to_the_offset apart global=1022 local=7 : f32[1022] f32[1022] f32[1022]
__kernel void up_to_the_offset(__global const float* a, __global const float* b, __global float* out) {
  int i = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < (int)get_global_offset(1) + 37; k++) sum += a[k] * b[i];
  out[i] = sum;
}
