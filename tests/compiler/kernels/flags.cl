// Flags that are set on some way and tested later, and limits that a comparison chooses.
//@ small_blocks together global=64 local=8 : f32[64] f32[64] i=1
//@ small_blocks together global=64 local=8 : f32[64] f32[64] i=2
__kernel void small_blocks(__global const float* in, __global float* out, int rounds) {
  int tx = get_local_id(0), begin = (8 - rounds * 2) * (int)get_group_id(0) - rounds, end = begin + 7;
  int first = begin < 0 ? -begin : 0;
  int last = end > 47 ? 7 - (end - 47) : 7;
  bool computed;
  for (int i = 0; i < rounds; ++i) {
    computed = false;
    if (tx >= i + 1 && tx <= 6 - i && tx >= first && tx <= last) computed = true;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == rounds - 1) break;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (computed) out[begin + tx] = in[begin + tx] * 2.0f;
}
//@ tiles apart global=24,24 local=8,8 : f32[400] f32[400] i=20
__kernel void tiles(__global const float* in, __global float* out, int n) {
  int left = 8 * get_group_id(0), top = 8 * get_group_id(1), tx = get_local_id(0), ty = get_local_id(1);
  int right = left + 7, bottom = top + 7;
  int last_x = right > n - 1 ? 8 - 1 - (right - n + 1) : 8 - 1;
  int last_y = bottom <= n - 1 ? 7 : n - 1 - bottom + 7;
  if (tx <= last_x && ty <= last_y) out[(top + ty) * n + left + tx] = in[(top + ty) * n + left + tx] + 1.0f;
}
//@ found_in_a_loop apart global=64 local=8 : i32[64] i32[64]
__kernel void found_in_a_loop(__global const int* in, __global int* out) {
  int t = get_global_id(0), found = 0;
  for (int j = 0; j < 4; ++j)
    if (in[j] > 0 && t < 60) { found = 3; break; }
  if (found != 0) out[t] = in[t];
}
//@ bounded_by_a_flag apart global=64 local=8 : i32<64>[64] i32[512]
__kernel void bounded_by_a_flag(__global const int* in, __global int* out) {
  int t = get_global_id(0), k = in[t];
  uchar small = 0;
  if (k >= 0 && k < 8) small = 1;
  if (small) out[8 * t + k] = t;
}
//@ set_twice together global=64 local=8 : i32<8>[64] i32[512]
__kernel void set_twice(__global const int* in, __global int* out) {
  int t = get_global_id(0), k = in[t];
  bool small = false;
  if (k >= 0 && k < 8) small = true;
  if (in[t ^ 1] == 100) small = true;
  if (small) out[8 * t + k] = t;
}
//@ unset together global=64 local=8 : i32<8>[64] i32[512]
__kernel void unset(__global const int* in, __global int* out) {
  int t = get_global_id(0), k = in[t];
  bool large = false;
  if (k >= 0 && k < 8 && in[0] == 100) large = true;
  if (!large) out[8 * t + k] = t;
}
// The flag was set in some iteration, the loop has ended in another one.
//@ two_iterations apart global=64 local=8 : i32<16>[64] i32[64] i32[64]
__kernel void two_iterations(__global const int* in, __global const int* more, __global int* out) {
  int t = get_global_id(0), v, flag = 0;
  for (int j = 0; j < 1000; ++j) {
    v = in[j & 63];
    if (v < 8)
      flag = 1;
    else if (in[(j + 1) & 63] > 3)
      break;
  }
  if (flag) out[t] = t + more[t];
}
// The flag that is tested is that of the iteration before.
//@ of_the_iteration_before together global=64 local=8 : i32<16>[64] i32[80]
__kernel void of_the_iteration_before(__global const int* in, __global int* out) {
  int t = get_global_id(0);
  bool first = false;
  for (int j = 0; j < 2; ++j) {
    if (first) out[t + j * (in[t] & 16)] = t;
    first = false;
    if (j == 0) first = true;
  }
}
// Each flag is set in an iteration of its own.
//@ two_flags apart global=64 local=8 : i32<16>[64] i32[64]
__kernel void two_flags(__global const int* in, __global int* out) {
  int t = get_global_id(0), a = 0, b = 0;
  for (int j = 0; j < 2; ++j) {
    if (j == 0 && in[t] < 16) a = 1;
    if (j == 1 && in[t] < 16) b = 1;
  }
  if (a != 0)
    if (b != 0) out[t] = t;
}
// A difference of two more is no order.
//@ no_limit apart global=64 local=8 : i32[64] i32[200]
__kernel void no_limit(__global const int* in, __global int* out) {
  int t = get_global_id(0);
  int from = t < 30 ? 30 - t + 2 : 0;
  int to = t <= 30 ? 5 : 5 + (30 - t) + 3;
  if (from > 1) out[t] = in[t];
  if (to < 5) out[t] = in[t] + 1;
}
