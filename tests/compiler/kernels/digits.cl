// Addresses made of a number and its rest, or of its quotient and its rest: blocks that are moved apart. The
// words "apart" and "together" say whether the halves of a launch are told apart. "together" stands where
// proof ends, by a little.

// A pass of Stockham's Fourier transform. Half of the launch is a multiple of the block, part of one, or less
// than one.
//@ stockham exact apart global=64 local=8 : i32[128] i32[128] i=64 i=1
//@ stockham exact apart global=64 local=8 : i32[128] i32[128] i=64 i=4
//@ stockham exact apart global=64 local=8 : i32[128] i32[128] i=64 i=32
//@ stockham exact apart global=64 local=8 : i32[128] i32[128] i=64 i=64
//@ stockham exact apart global=48 local=8 : i32[96] i32[96] i=48 i=16
//@ stockham exact apart global=40 local=8 : i32[128] i32[128] i=40 i=32
//@ stockham exact apart global=48 local=8 : i32[96] i32[96] i=41 i=16
__kernel void stockham(__global const int* in, __global int* out, int half_length, int done) {
  const int i = get_global_id(0);
  if (i >= half_length) return;
  const int k = i & (done - 1);
  const int place = (i << 1) - k;
  out[place] = in[i] + k;
  out[place + done] = in[i + half_length] - k;
}
// The mask may stand first. It is no mask of low bits where one is missing.
//@ mask_first exact apart global=64 local=8 : i32[64] i32[256] u=15
//@ mask_first together global=64 local=8 : i32[64] i32[256] u=5
__kernel void mask_first(__global const int* in, __global int* out, uint mask) {
  const uint i = get_global_id(0);
  out[4 * i - (mask & i)] = in[i];
}
// A pass of a bitonic sort, in place.
//@ bitonic apart global=64 local=8 : i32[128] i=1
//@ bitonic apart global=64 local=8 : i32[128] i=16
//@ bitonic apart global=48 local=8 : i32[96] i=16
//@ bitonic apart global=24 local=8 : i32[96] i=24
__kernel void bitonic(__global int* values, int distance) {
  const int i = get_global_id(0);
  const int left = (i / distance) * 2 * distance + i % distance;
  const int a = values[left], b = values[left + distance];
  values[left] = min(a, b);
  values[left + distance] = max(a, b);
}
// Any divisor, in each row.
//@ rows_of_blocks exact apart global=21,6 local=7,2 : i32[126] i32[756] i=5
//@ rows_of_blocks exact apart global=21,1 local=7,1 : i32[21] i32[126] i=5
__kernel void rows_of_blocks(__global const int* in, __global int* out, int block) {
  const int i = get_global_id(0), row = get_global_id(1);
  out[row * 126 + i + i / block * 2 * block] = in[row * 21 + i];
}
// The order within each block is turned round.
//@ turned exact apart global=48 local=8 : i32[48] i32[48] i=16
//@ turned exact apart global=40 local=8 : i32[48] i32[48] i=16
__kernel void turned(__global const int* in, __global int* out, int block) {
  const int i = get_global_id(0);
  out[i - 2 * (i % block) + block - 1] = in[i];
}
// The rest of a number that is a constant apart.
//@ shifted_rest exact apart global=64 local=8 : i32[64] i32[192] i=16
//@ shifted_rest exact apart global=40 local=8 : i32[64] i32[192] i=16
__kernel void shifted_rest(__global const int* in, __global int* out, int block) {
  const int i = get_global_id(0);
  out[2 * i + 1 - (i + 1) % block] = in[i];
}
// The rest of another number, and of one that is loaded.
//@ other_rest together global=64 local=8 : i32[64] i32[192] i=16
__kernel void other_rest(__global const int* in, __global int* out, int block) {
  const int i = get_global_id(0);
  out[2 * i + block - 3 * i % block] = in[i];
}
//@ loaded_rest together global=64 local=8 : i32<1>[64] i32[192] i=16
__kernel void loaded_rest(__global const int* in, __global int* out, int block) {
  const int i = get_global_id(0);
  out[2 * i - in[i] % block] = i;
}
// Another quotient than that of the rest.
//@ other_quotient together global=64 local=8 : i32[256] i=16
__kernel void other_quotient(__global int* out, int block) {
  const int i = get_global_id(0);
  out[i / (block + 8) * 2 * block + i % block] = 1 + (i >> 8);
}
// Not every work-item writes.
//@ some_of_a_block apart global=64 local=8 : i32<2>[64] i32[128] i=16
__kernel void some_of_a_block(__global const int* in, __global int* out, int block) {
  const int i = get_global_id(0);
  if (in[i]) out[2 * i - i % block] = in[i];
}
