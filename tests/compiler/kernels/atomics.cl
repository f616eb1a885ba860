// Atomic updates of buffers: "summed" says that the halves of the launch touch the same bytes by updates that commute.
//@ histogram summed global=256 local=16 : i32[256] i32[64]
__kernel void histogram(__global const int* in, __global int* bins) { atomic_inc(&bins[in[get_global_id(0)] & 63]); }
//@ anywhere summed global=64 local=8 : i32<64>[64] i32[64]
__kernel void anywhere(__global const int* in, __global uint* bins) { atom_add(&bins[in[get_global_id(0)]], 3u); }
//@ reduction summed global=256 local=32 : i32[256] i32[1] local=128
__kernel void reduction(__global const int* in, __global int* sum, __local int* tmp) {
  int l = get_local_id(0);
  tmp[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
    if (l < s) tmp[l] += tmp[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) atomic_add(sum, tmp[0]);
}
//@ every_kind summed global=64 local=8 : i32[64] i32[8] i32[4]
__kernel void every_kind(__global const int* in, volatile __global int* out, __global volatile uint* more) {
  int x = in[get_global_id(0)];
  atomic_add(&out[0], x);
  atomic_sub(&out[0], x >> 1);
  atomic_inc(&out[0]);
  atomic_dec(&out[0]);
  atomic_and(&out[1], x | 255);
  atomic_or(&out[2], x & 255);
  atomic_xor(&out[3], x);
  atomic_min(&out[4], x);
  atomic_max(&out[5], x);
  atomic_min(&more[0], (uint)x);
  atomic_max(&more[1], (uint)x);
}
typedef struct { float mean; int count; uint bits; } Cell;
//@ fields summed global=64 local=8 : i32<16>[64] u8[192]
__kernel void fields(__global const int* in, __global Cell* cells) {
  int c = in[get_global_id(0)] & 15;
  atomic_inc(&cells[c].count);
}
//@ two_fields summed global=64 local=8 : i32<16>[64] u8[192]
__kernel void two_fields(__global const int* in, __global Cell* cells) {
  int c = in[get_global_id(0)] & 15;
  atomic_inc(&cells[c].count);
  atomic_or(&cells[c].bits, 1u << c);
}
//@ own_element apart global=64 local=8 : i32[64]
__kernel void own_element(__global int* out) { atomic_add(&out[get_global_id(0)], 5); }
//@ neighbours summed global=64 local=8 : i32[65]
__kernel void neighbours(__global int* out) {
  atomic_add(&out[get_global_id(0)], 1);
  atomic_add(&out[get_global_id(0) + 1], 2);
}
//@ beside_plain summed global=64 local=8 : i32[64] i32[1]
__kernel void beside_plain(__global int* out, __global int* sum) {
  int i = get_global_id(0);
  out[i] += i;
  atomic_add(sum, out[i]);
}
//@ same_buffer summed global=64 local=8 : i32[72]
__kernel void same_buffer(__global int* out) {
  int i = get_global_id(0);
  out[8 + i] = 3 * i;
  atomic_add(&out[i & 7], i);
}
//@ other_kinds_apart summed global=64 local=8 : i32[16]
__kernel void other_kinds_apart(__global int* out) {
  int i = get_global_id(0);
  atomic_max(&out[i & 7], i);
  atomic_min(&out[8 + (i & 7)], i);
}
//@ add_and_max together global=64 local=8 : i32[8]
__kernel void add_and_max(__global int* out) {
  int i = get_global_id(0);
  if (i & 1) atomic_max(&out[i & 7], i); else atomic_add(&out[i & 7], i);
}
//@ signed_and_unsigned together global=64 local=8 : i32[2]
__kernel void signed_and_unsigned(__global int* out) {
  int i = get_global_id(0);
  atomic_max(out, i);
  atomic_max((__global uint*)out, (uint)i);
}
// In these the data keep apart what the analysis cannot.
//@ reads_a_sum together global=64 local=8 : i32<4>[64] i32[8] i32[64]
__kernel void reads_a_sum(__global const int* in, __global int* sums, __global int* out) {
  int x = in[get_global_id(0)];
  atomic_add(&sums[x & 7], 1);
  out[get_global_id(0)] = sums[4 + (x & 3)];
}
//@ begins_a_sum together global=64 local=8 : i32<4>[64] i32[8]
__kernel void begins_a_sum(__global const int* in, __global int* sums) {
  int x = in[get_global_id(0)];
  if (get_global_id(0) == 0) sums[4 + (x & 3)] = 0;
  atomic_add(&sums[x & 7], 1);
}
//@ reads_somewhere together global=64 local=8 : i32[64] i32<32>[64]
__kernel void reads_somewhere(__global int* bins, __global const int* index) {
  int i = index[get_global_id(0)];
  atomic_add(&bins[i], bins[63 - i] & 7);
}
//@ dead_result summed global=64 local=8 : i32[1]
__kernel void dead_result(__global int* sum) {
  int old = atomic_add(sum, 2);
  if (old > 5) old = 5;
}
int count_up(volatile __global int* p) { return atomic_inc(p); }
//@ through_a_function summed global=64 local=8 : i32[1]
__kernel void through_a_function(__global int* sum) { count_up(sum); }
//@ in_a_loop summed global=64 local=8 : i32[16] i=5
__kernel void in_a_loop(__global int* sum, int n) {
  for (int k = 0; k < n; ++k) atomic_add(&sum[k], k + (int)get_global_id(0));
}
