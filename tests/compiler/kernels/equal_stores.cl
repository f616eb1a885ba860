// Stores of numbers that are the same in all work-items: the halves of such a launch may store to the same bytes.
//@ flag summed global=64 local=8 : i32[64] i32[1]
__kernel void flag(__global const int* in, __global int* over) { if (in[get_global_id(0)] > 5) *over = 1; }
//@ mask summed global=64 local=8 : i32[64] u8[64]
__kernel void mask(__global const int* in, __global uchar* marked) { marked[in[get_global_id(0)] & 63] = true; }
//@ anywhere summed global=64 local=8 : i32<64>[64] i32[64]
__kernel void anywhere(__global const int* in, __global int* marked) { marked[in[get_global_id(0)]] = -7; }
//@ every_width summed global=64 local=8 : i32[64] u8[64] i32[32] i32[64] u64[64] f32[64] f64[64]
__kernel void every_width(__global const int* in, __global char* a, __global short* b, __global uint* c, __global ulong* d,
                          __global float* e, __global double* f) {
  int k = in[get_global_id(0)] & 63;
  a[k] = -1;
  b[k] = 300;
  c[k] = 0x80000000u;
  d[k] = 0x8000000000000001ul;
  e[k] = -0.0f;
  f[k] = 0.1;
}
//@ vectors summed global=64 local=8 : i32[64] f32[64] u8[64]
__kernel void vectors(__global const int* in, __global float4* a, __global uchar2* b) {
  int k = in[get_global_id(0)] & 15;
  a[k] = (float4)(1.5f);
  b[k] = (uchar2)(7, 7);
}
//@ part_of_a_vector summed global=64 local=8 : i32[64] f32[64]
__kernel void part_of_a_vector(__global const int* in, __global float* a) {
  int k = in[get_global_id(0)] & 15;
  ((__global float2*)a)[k] = (float2)(2.0f);
  a[k] = 2.0f;
}
typedef struct { float mean; int used; uchar flag; } Cell;
//@ members summed global=64 local=8 : i32[64] u8[192]
__kernel void members(__global const int* in, __global Cell* cells) {
  int k = in[get_global_id(0)] & 15;
  cells[k].used = 1;
  if (in[k] & 1) cells[k].flag = 2;
}
//@ volatile_flag summed global=64 local=8 : i32[64] i32[1]
__kernel void volatile_flag(__global const int* in, volatile __global int* over) { if (in[get_global_id(0)] & 1) *over = 1; }
//@ in_a_loop summed global=64 local=8 : i32[64] u8[64]
__kernel void in_a_loop(__global const int* in, __global uchar* marked) {
  for (int j = 0; j < (in[get_global_id(0)] & 7); ++j) marked[in[j] & 63] = 1;
}
//@ in_both_branches summed global=64 local=8 : i32[64] i32[1]
__kernel void in_both_branches(__global const int* in, __global int* over) { if (in[get_global_id(0)] & 1) *over = 1; else *over = 1; }
//@ last_of_two summed global=64 local=8 : i32[1]
__kernel void last_of_two(__global int* over) {
  *over = 2;
  *over = 1;
}
//@ seen_by_whoever_stored summed global=64 local=8 : i32[1] i32[64]
__kernel void seen_by_whoever_stored(__global int* over, __global int* out) {
  *over = 1;
  out[get_global_id(0)] = *over;
}
//@ beside_own_elements summed global=64 local=8 : i32[64] i32[65] i32[64]
__kernel void beside_own_elements(__global const int* in, __global int* out, __global int* again) {
  int i = get_global_id(0);
  if (in[i] & 1) out[64] = 1;
  out[i] = in[i];
  again[i] = 1;
}
//@ own_elements apart exact global=64 local=8 : i32[64]
__kernel void own_elements(__global int* out) { out[get_global_id(0)] = 1; }
//@ same_argument summed global=64 local=8 : i32[64] i32[64] i=5
__kernel void same_argument(__global const int* in, __global int* marked, int n) { marked[in[get_global_id(0)] & 63] = n; }
//@ argument_and_constant summed global=64 local=8 : i32[64] i32[64] i=5
//@ argument_and_constant together global=64 local=8 : i32[64] i32[64] i=6
__kernel void argument_and_constant(__global const int* in, __global int* marked, int n) {
  int k = in[get_global_id(0)] & 63;
  if (in[k] & 1) marked[k] = n;
  if (in[k] & 2) marked[k] = 5;
}
//@ of_arguments summed global=64 local=8 : i32[64] u8[4] u=123456789
__kernel void of_arguments(__global const int* in, __global uchar* bins, uint bin) {
  bins[0] = bin / 24576;
  bins[1] = (bin >> 10) % 24;
  bins[2] = (uchar)(bin >> 2) % 256;
  bins[3] = (uchar)(bin % 4) * 8;
}
//@ of_sizes summed global=64 local=8 : i32[64] i32[64]
__kernel void of_sizes(__global const int* in, __global int* marked) { marked[in[get_global_id(0)] & 63] = get_global_size(0) + get_num_groups(0); }
//@ sum_that_wraps summed global=64 local=8 : i32[64] i32[64] u=17
//@ sum_that_wraps together global=64 local=8 : i32[64] i32[64] u=4294967295
__kernel void sum_that_wraps(__global const int* in, __global uint* marked, uint n) { marked[in[get_global_id(0)] & 63] = (n + 1u) / 2u; }

// What only looks like it: the data keep apart what differs.
//@ two_numbers together global=64 local=8 : i32[64] i32[64]
__kernel void two_numbers(__global const int* in, __global int* marked) {
  int k = get_global_id(0) & 7;
  if (in[k] & 1) marked[k] = 1; else marked[k] = 2;
}
//@ two_numbers_sure together global=64 local=8 : i32[64] i32[1]
__kernel void two_numbers_sure(__global const int* in, __global int* over) { if (get_global_id(0) & 1) *over = 1; else *over = 2; }
//@ chosen_number together global=64 local=8 : i32[64] i32[8]
__kernel void chosen_number(__global const int* in, __global int* marked) { int i = get_global_id(0); marked[i & 7] = in[i & 7] > 3 ? 1 : 2; }
//@ of_the_group together global=64 local=8 : i32[8]
__kernel void of_the_group(__global int* marked) { marked[get_local_id(0)] = get_group_id(0) / 8; }
//@ seen_before together global=64 local=8 : i32[64] i32[64]
__kernel void seen_before(__global const int* in, __global int* marked) { int k = in[get_global_id(0)] & 63; if (!marked[k]) marked[k] = 1; }
//@ seen_behind_a_barrier together global=64 local=8 : i32[1] i32[64]
__kernel void seen_behind_a_barrier(__global int* over, __global int* out) {
  if (get_local_id(0) == 0) *over = 1;
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[get_global_id(0)] = *over;
}
//@ seen_elsewhere together global=64 local=8 : i32[64] i32[64] i32[64]
__kernel void seen_elsewhere(__global const int* in, __global int* marked, __global int* out) {
  int i = get_global_id(0);
  out[i] = marked[63 - i] == 0x7fffff01;
  marked[in[i] & 63] = 1;
}
//@ another_width together global=64 local=8 : i32[64] u8[64]
__kernel void another_width(__global const int* in, __global uchar* bytes) {
  int k = in[get_global_id(0)] & 15;
  if (k & 1) ((__global int*)bytes)[k] = 1; else bytes[4 * k] = 1;
}
//@ zeros_of_both_signs together global=64 local=8 : i32[64] f32[8]
__kernel void zeros_of_both_signs(__global const int* in, __global float* out) {
  int k = get_global_id(0) & 7;
  if (in[k] & 1) out[k] = 0.0f; else out[k] = -0.0f;
}
//@ not_a_number together global=64 local=8 : i32[64] f32[8]
__kernel void not_a_number(__global const int* in, __global float* out) { int i = get_global_id(0); if (in[i] & 1) out[i & 7] = NAN; }
//@ different_components together global=64 local=8 : i32[64] f32[32]
__kernel void different_components(__global const int* in, __global float4* out) { out[in[get_global_id(0)] & 7] = (float4)(1, 1, 1, 2); }
//@ beside_an_atomic together global=64 local=8 : i32[64] i32[8]
__kernel void beside_an_atomic(__global const int* in, __global int* marked) {
  int i = get_global_id(0);
  if (in[i] & 1) atomic_or(&marked[i & 7], 1); else marked[i & 7] = 1;
}
typedef struct __attribute__((packed)) { char tag; int used; } Packed;
//@ not_aligned together global=64 local=8 : i32[64] u8[80]
__kernel void not_aligned(__global const int* in, __global Packed* p) { p[in[get_global_id(0)] & 7].used = 1; }
//@ copied together global=64 local=8 : i32[8]
__kernel void copied(__global int* out) {
  __local int ones[8];
  ones[get_local_id(0)] = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t done = async_work_group_copy(out, ones, 8, 0);
  wait_group_events(1, &done);
}
