//@ dot_partial global=256 local=32 exact : f32[256] f32[256] f32[8] local=128
__kernel void dot_partial(__global const float* a, __global const float* b, __global float* out, __local float* tmp) {
  int l = get_local_id(0);
  tmp[l] = a[get_global_id(0)] * b[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
    if (l < s) tmp[l] += tmp[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) out[get_group_id(0)] = tmp[0];
}
//@ reduce_guarded global=256 local=32 : i32[250] i32[8] u=250 local=128
__kernel void reduce_guarded(__global const int* in, __global int* out, uint n, __local int* tmp) {
  uint tid = get_local_id(0), i = get_group_id(0) * get_local_size(0) + get_local_id(0);
  tmp[tid] = i < n ? in[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint s = 1; s < get_local_size(0); s *= 2) {
    if ((tid % (2 * s)) == 0) tmp[tid] += tmp[tid + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (tid == 0) out[get_group_id(0)] = tmp[0];
}
//@ halo global=256 local=16 exact : f32[258] f32[256]
#define GROUP 16
__kernel void halo(__global const float* in, __global float* out) {
  __local float tile[GROUP + 2];
  int l = get_local_id(0), g = get_global_id(0);
  tile[l + 1] = in[g + 1];
  if (l == 0) tile[0] = in[g];
  if (l == GROUP - 1) tile[GROUP + 1] = in[g + 2];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[g] = 0.25f * tile[l] + 0.5f * tile[l + 1] + 0.25f * tile[l + 2];
}
//@ counters global=128 local=16 exact : i32[8]
__kernel void counters(__global int* out) {
  __local int count;
  if (get_local_id(0) == 0) count = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&count, (int)get_global_id(0) & 3);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) out[get_group_id(0)] = count;
}
//@ bar3 global=12,10,9 local=4,5,3 exact : i32[1080] local=240
__kernel void bar3(__global int* out, __local int* tmp) {
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  int l = get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2));
  int n = get_local_size(0) * get_local_size(1) * get_local_size(2);
  tmp[l] = x + 100 * y + 10000 * z;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[x + get_global_size(0) * (y + get_global_size(1) * z)] =
      tmp[n - 1 - l] + tmp[(l + 1) % n] + 3 * get_group_id(0) + 5 * get_group_id(1) + 7 * get_group_id(2);
}
//@ async_copy global=128 local=16 : f32[128] f32[128] local=64
__kernel void async_copy(__global const float* in, __global float* out, __local float* tmp) {
  event_t e = async_work_group_copy(tmp, in + get_group_id(0) * get_local_size(0), get_local_size(0), 0);
  wait_group_events(1, &e);
  tmp[get_local_id(0)] *= 2;
  barrier(CLK_LOCAL_MEM_FENCE);
  e = async_work_group_copy(out + get_group_id(0) * get_local_size(0), tmp, get_local_size(0), 0);
  wait_group_events(1, &e);
}
//@ old_atomics global=64 local=16 exact : i32[4]
#pragma OPENCL EXTENSION cl_khr_local_int32_base_atomics : enable
__kernel void old_atomics(__global int* out) {
  __local int count;
  if (get_local_id(0) == 0) count = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atom_add(&count, 2);
  atom_inc(&count);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) out[get_group_id(0)] = count;
}
