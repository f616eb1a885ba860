// Launches are described by lines beginning with //@ (see ../kernel_files.hpp).
//@ add global=1024 local=64 exact : f32[1024] f32[1024] f32[1024] i=1024
//@ add global=1024 local=64 exact : f32[1024] f32[1024] f32[1024] i=1000
//@ add global=64 local=16 exact : f32[64] f32[64] f32[64] i=-5
__kernel void add(__global const float* a, __global const float* b, __global float* c, int n) {
  int i = get_global_id(0);
  if (i < n) c[i] = a[i] + b[i];
}
//@ saxpy global=512 local=32 : f32[512] f32[512] f=1.5 u=500
__kernel void saxpy(__global const float* x, __global float* y, float a, uint n) {
  size_t i = get_global_id(0);
  if (i >= n) return;
  y[i] = a * x[i] + y[i];
}
//@ add4 global=96 local=8 exact : f32[384] f32[384] f32[384]
__kernel void add4(__global const float4* a, __global const float4* b, __global float4* c) {
  const uint i = get_global_id(0);
  c[i] = a[i] * b[i] + (float4)(1, 2, 3, 4);
}
//@ loads global=60 local=6 exact : f32[240] f32[180] u8[240]
__kernel void loads(__global const float* a, __global float* out, __global uchar* bytes) {
  size_t i = get_global_id(0);
  float4 v = vload4(i, a);
  vstore3(v.xyz * v.w, i, out);
  vstore4(convert_uchar4_sat(v * 10.0f), i, bytes);
}
//@ doubles global=128 local=16 exact : f64[128] f64[128]
//@ halves global=64 local=8 exact : u8[128] u8[128] u8[512] u8[512]
__kernel void halves(__global const half* in, __global half* out, __global half* four, __global half* aligned) {
  size_t i = get_global_id(0);
  float x = vload_half(i, in);
  vstore_half(x * 0.9f, i, out);
  vstore_half4_rte((float4)(x), i, four);
  vstorea_half3((float3)(x, x + 1.0f, x + 2.0f), i, aligned);
}
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void doubles(__global const double* in, __global double* out) {
  int i = get_global_id(0);
  out[i] = sin(in[i]) + exp(in[i]) * sqrt(fabs(in[i])) + fma(in[i], in[i], in[0]);
}
//@ reversed global=128 local=8 exact : i32[128] i32[128] i=128
__kernel void reversed(__global const int* in, __global int* out, int n) {
  int i = get_global_id(0);
  out[n - 1 - i] = in[i];
}
//@ shifted global=128 local=8 offset=64 exact : i32[256] i32[256]
__kernel void shifted(__global const int* in, __global int* out) {
  size_t i = get_global_id(0);
  out[i - get_global_offset(0)] = in[i] + (int)get_global_offset(0);
}
//@ bytes global=256 local=32 exact : u8[256] u8[256]
__kernel void bytes(__global const uchar* in, __global uchar* out) {
  out[get_global_id(0)] = in[get_global_id(0)] ^ 0x5a;
}
//@ window global=200 local=10 exact : i32[300] i32[300] i=17 i=120
__kernel void window(__global const int* in, __global int* out, int from, int to) {
  int i = get_global_id(0);
  if (from <= i && i < to) out[i] = in[i + 3];
}
//@ window_unsigned global=200 local=10 exact : i32[300] i32[300] u=17 u=120
__kernel void window_unsigned(__global const int* in, __global int* out, uint from, uint to) {
  uint i = get_global_id(0);
  if (i - from < to - from) out[i] = in[i];
}
//@ both_arms global=128 local=16 exact : i32[128] i32[128]
__kernel void both_arms(__global const int* in, __global int* out) {
  int i = get_global_id(0);
  if (in[i] > 50) out[i] = in[i] * 3;
  else out[i] = -1;
}
//@ one_arm global=128 local=16 : i32[128] i32[128]
__kernel void one_arm(__global const int* in, __global int* out) {
  int i = get_global_id(0);
  if (in[i] > 50) out[i] = in[i] * 3;
}
