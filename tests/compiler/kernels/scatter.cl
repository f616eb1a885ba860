// Writes at loaded indices. Nothing tells the halves of a launch apart but the contents of the index buffers
// (groups_apart_test.cpp). Where two indices are equal, it does not matter whose store comes last.
typedef struct {
  int x, y;
  long offset;
} Box;
//@ permuted together global=64 local=8 : i32<64>[64] i32[64]
__kernel void permuted(__global const int* index, __global int* o) {
  int at = index[get_global_id(0)];
  o[at] = at + 1;
}
//@ permuted_in_place together global=64 local=8 : i32<64>[64] i32[64]
__kernel void permuted_in_place(__global const int* index, __global int* o) {
  int at = index[get_global_id(0)];
  o[at] = o[at] | 1;
}
//@ permuted_unsigned together global=64 local=8 : i32<64>[64] i32[64]
__kernel void permuted_unsigned(__global const uint* index, __global int* o) {
  uint at = index[get_global_id(0)];
  o[at] = at + 1;
}
//@ permuted_long together global=64 local=8 : u64<64>[64] i32[64]
__kernel void permuted_long(__global const long* index, __global int* o) {
  long at = index[get_global_id(0)];
  o[at] = at + 1;
}
//@ permuted_bytes together global=256 local=8 : bits[256] i32[256]
__kernel void permuted_bytes(__global const uchar* index, __global int* o) {
  uchar at = index[get_global_id(0)];
  o[at] = at + 1;
}
//@ guarded together global=64 local=8 : i32<64>[64] i32[64] i=50
__kernel void guarded(__global const int* index, __global int* o, int n) {
  int t = get_global_id(0);
  if (t < n) o[index[t]] = index[t] + 1;
}
//@ some_only together global=64 local=8 : i32<64>[64] i32[64]
__kernel void some_only(__global const int* index, __global int* o) {
  int t = get_global_id(0);
  if (index[t] >= 0) o[index[t]] = index[t] + 1;
}
//@ index_of_index together global=64 local=8 : i32<64>[64] i32<64>[64] i32[64]
__kernel void index_of_index(__global const int* first, __global const int* second, __global int* o) {
  int t = get_global_id(0);
  o[second[first[t]]] = second[first[t]] + 1;
}
//@ pair together global=64 local=8 : i32<60>[128] i32[64]
__kernel void pair(__global const int2* index, __global int* o) {
  int t = get_global_id(0);
  o[index[t].y + 1] = index[t].y + 1;
}
//@ rows together global=64 local=8 : i32<60>[64] i32<4>[64] i32[64]
__kernel void rows(__global const int* first, __global const int* count, __global int* o) {
  int t = get_global_id(0), at = first[t], n = count[t];
  for (int k = 0; k < n; ++k)
    o[at + k] = at + k + 1;
}
//@ rows_to_the_next together global=64 local=8 : i32<60>[65] i32[64]
__kernel void rows_to_the_next(__global const int* first, __global int* o) {
  int t = get_global_id(0), end = first[t + 1];
  for (int k = first[t]; k < end; ++k)
    o[k] = k + 1;
}
//@ boxes together global=64 local=8 : u64<10>[16] i32[64]
__kernel void boxes(__global const Box* box, __global int* o) {
  int first = box[get_group_id(0)].offset;
  for (int k = get_local_id(0); k < 8; k += get_local_size(0))
    o[first + k] |= 3;
}
//@ reads_a_neighbour together global=64 local=8 : i32<1>[64] i32[65]
__kernel void reads_a_neighbour(__global const int* index, __global int* o) {
  int t = get_global_id(0);
  o[index[t]] = o[index[t] + 1];
}
//@ changes_its_index together global=64 local=8 : i32<64>[64] i32[64]
__kernel void changes_its_index(__global int* index, __global int* o) {
  int t = get_global_id(0);
  o[index[t]] = index[t] + 1;
  index[t] = t;
}
//@ volatile_index together global=64 local=8 : i32<64>[64] i32[64]
__kernel void volatile_index(__global const volatile int* index, __global int* o) {
  int at = index[get_global_id(0)];
  o[at] = at + 1;
}
//@ in_two_dimensions together global=8,8 local=4,2 : i32<64>[64] i32[64]
__kernel void in_two_dimensions(__global const int* index, __global int* o) {
  int t = get_global_id(1) * get_global_size(0) + get_global_id(0);
  o[index[t]] = index[t] + 1;
}
//@ while_less together global=64 local=8 : i32<9>[64] i32[600]
__kernel void while_less(__global const int* count, __global int* o) {
  int t = get_global_id(0);
  int at = count[t] * 64;
  for (int k = 0; k < count[t]; ++k)
    o[at + k] = at + k + 1;
}
// Numbers that are computed from loaded ones.
//@ quotient together global=64 local=8 : i32<128>[64] i32[64]
__kernel void quotient(__global const int* index, __global int* o) {
  int at = index[get_global_id(0)] / 2;
  o[at] = at + 1;
}
//@ transposed together global=64 local=8 : i32<64>[64] i32[64]
__kernel void transposed(__global const int* index, __global int* o) {
  int at = index[get_global_id(0)];
  o[at % 8 * 8 + at / 8] = at + 1;
}
//@ masked together global=64 local=8 : i32<1024>[64] i32[64]
__kernel void masked(__global const uint* index, __global int* o) {
  uint at = (index[get_global_id(0)] >> 4) & 63;
  o[at] = (int)at + 1;
}
//@ clamped together global=64 local=8 : i32[64] i32[64]
__kernel void clamped(__global const int* index, __global int* o) {
  int at = clamp(index[get_global_id(0)], 0, 63);
  o[at] = at + 1;
}
//@ flipped together global=64 local=8 : i32<64>[64] i32[64]
__kernel void flipped(__global const uint* index, __global int* o) {
  uint at = index[get_global_id(0)] ^ 5;
  o[at] = (int)at + 1;
}
//@ at_a_quotient together global=64 local=8 : i32<128>[64] i32<64>[64] i32[64]
__kernel void at_a_quotient(__global const int* first, __global const int* second, __global int* o) {
  int at = second[first[get_global_id(0)] / 2];
  o[at] = at + 1;
}
// Rows that begin where the one before ends, of unsigned numbers, backwards, and with places of their own.
//@ unsigned_rows together global=64 local=8 : i32<60>[65] i32[64]
__kernel void unsigned_rows(__global const uint* first, __global int* o) {
  uint t = get_global_id(0);
  for (uint k = first[t]; k < first[t + 1]; ++k)
    o[k] = k + 1;
}
//@ rows_upwards_from_the_last together global=64 local=8 : i32<60>[65] i32[64]
__kernel void rows_upwards_from_the_last(__global const int* first, __global int* o) {
  int t = get_global_id(0), begin = first[t];
  for (int k = first[t + 1] - 1; k >= begin; --k)
    o[k] = k + 1;
}
//@ entries_of_rows together global=64 local=8 : i32<60>[65] i32<64>[64] i32[64]
__kernel void entries_of_rows(__global const int* first, __global const int* column, __global int* o) {
  int t = get_global_id(0);
  for (int k = first[t]; k < first[t + 1]; ++k)
    o[column[k]] = column[k] + 1;
}
