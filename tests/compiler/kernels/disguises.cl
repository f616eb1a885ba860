// Pointers and offsets that look like something else, and loops that end in odd ways.
//@ punned_twice whole=a_pointer_is global=64 local=8 : i32[80] i32[64]
__kernel void punned_twice(__global const int* a, __global int* o) {
  int t = get_global_id(0), x[4] = {t, 1, 2, 3};
  int* p = x;
  char* bytes = (char*)&p;
  char* again = (char*)(void*)bytes;
  *(ulong*)again += 4;
  o[t] = a[t] + *p;
}
//@ punned_by_copy whole=pointer global=64 local=8 : i32[80] i32[64]
__kernel void punned_by_copy(__global const int* a, __global int* o) {
  int t = get_global_id(0);
  __global const int* p = a + t;
  ulong bits;
  __builtin_memcpy(&bits, &p, sizeof bits);
  bits += 4 * (t & 7);
  __builtin_memcpy(&p, &bits, sizeof bits);
  o[t] = *p;
}
typedef union { __global const int* p; ulong bits; long2 lanes; } Both;
//@ punned_by_union whole=pointer global=64 local=8 : i32[80] i32[64]
__kernel void punned_by_union(__global const int* a, __global int* o) {
  int t = get_global_id(0);
  Both b;
  b.p = a + t;
  b.bits += 4 * (t & 7);
  o[t] = *b.p;
}
//@ punned_by_as whole=pointer global=64 local=8 : i32[80] i32[64]
__kernel void punned_by_as(__global const int* a, __global int* o) {
  int t = get_global_id(0);
  ulong bits = (ulong)(a + t);
  long2 lanes = as_long2((ulong2)(bits, bits + 4));
  o[t] = *(__global const int*)as_ulong(lanes.y);
}
//@ punned_by_vload whole=pointer global=64 local=8 : i32[80] i32[64]
__kernel void punned_by_vload(__global const int* a, __global int* o) {
  int t = get_global_id(0);
  __global const int* pair[2] = {a + t, a + t + 1};
  ulong2 bits = vload2(0, (const ulong*)pair);
  o[t] = *(__global const int*)(t & 1 ? bits.x : bits.y);
}
typedef struct { ulong bits; int* p; } Mixed;
//@ copied_between_fields whole=a_pointer_is_read_or_written_as_something_else global=64 local=8 : u64[64] i32<2>[64] i32[64]
__kernel void copied_between_fields(__global const ulong* where, __global const int* d, __global int* o) {
  int t = get_global_id(0), x = t;
  Mixed m[3];
  for (int k = 0; k < 3; ++k) { m[k].p = &x; m[k].bits = where[t]; }
  __builtin_memcpy(&m[d[t]].p, &m[d[t] + 1].bits, sizeof(ulong));
  o[t] = *m[d[t]].p;
}
typedef struct { int* p; long more[8]; } Holder;
//@ copied_from_local whole=a_pointer_is_read_or_written_as_something_else global=64 local=8 : u64[64] i32<2>[64] i32[64]
__kernel void copied_from_local(__global const ulong* where, __global const int* d, __global int* o) {
  int t = get_global_id(0), l = get_local_id(0);
  __local ulong bits[72];
  for (int k = 0; k < 9; ++k) bits[9 * l + k] = where[t];
  Holder h = *((__local Holder*)bits + l);
  h.more[d[t]] = 1;
  o[t] = *h.p + h.more[1];
}
//@ copied_as_a_whole global=64 local=8 : i32<2>[64] i32[64]
__kernel void copied_as_a_whole(__global const int* d, __global int* o) {
  int t = get_global_id(0), x = t;
  Holder h[2];
  for (int k = 0; k < 2; ++k) { h[k].p = &x; for (int j = 0; j < 8; ++j) h[k].more[j] = j; }
  Holder g = h[d[t]];
  o[t] = *g.p + g.more[d[t]];
}
//@ pointers_in_an_array global=64 local=8 : i32[80] i32[80] i32[64]
__kernel void pointers_in_an_array(__global const int* a, __global const int* b, __global int* o) {
  int t = get_global_id(0);
  __global const int* p[2] = {a + t, b + t};
  o[t] = p[0][3] - p[1][5];
}
//@ pointers_in_an_indexed_array whole=a_pointer_is global=64 local=8 : i32<2>[64] i32[80] i32[80] i32[64]
__kernel void pointers_in_an_indexed_array(__global const int* d, __global const int* a, __global const int* b,
                                           __global int* o) {
  int t = get_global_id(0);
  __global const int* p[2] = {a + t, b + t};
  o[t] = p[d[t]][3];
}
typedef __global const int* Pointer;
//@ pointer_in_local whole=a_pointer_is global=64 local=8 : i32[80] i32[64]
__kernel void pointer_in_local(__global const int* a, __global int* o) {
  int t = get_global_id(0);
  __local Pointer shared[8];
  shared[get_local_id(0)] = a + t;
  barrier(CLK_LOCAL_MEM_FENCE);
  o[t] = *shared[7 - get_local_id(0)];
}
__global int* either(__global int* p, __global int* q, int which) { return which > 1 ? q : p; }
__global int* either_of(__global int* p, __global int* q, int which) { return either(q, p, which - 1) + 0; }
//@ select_of_arguments apart global=64 local=8 : i32<4>[64] i32[64] i32[64]
__kernel void select_of_arguments(__global const int* d, __global int* a, __global int* b) {
  int t = get_global_id(0);
  *(either_of(a, b, d[t]) + t) = t;
}
//@ select_within_one global=64 local=8 : i32<4>[64] i32[130] i32[64]
__kernel void select_within_one(__global const int* d, __global int* a, __global int* o) {
  int t = get_global_id(0);
  o[t] = *(either_of(a, a + 64, d[t]) + t);
}
//@ select_by_id apart global=64 local=8 : i32[64] i32[64] i32[64]
__kernel void select_by_id(__global int* a, __global int* b, __global int* o) {
  int t = get_global_id(0);
  o[t] = either(a, b, t & 3)[t ^ 1];
}
__constant int steps[4] = {0, 3, -1, 7};
__constant int steps2[2][2] = {{1, 2}, {5, -2}};
//@ constant_table_of_data global=64 local=8 : i32<4>[64] i32[80] i32[64]
__kernel void constant_table_of_data(__global const int* d, __global const int* a, __global int* o) {
  int t = get_global_id(0);
  o[t] = a[t + 1 + steps[d[t]]];
}
//@ constant_table_of_id global=64 local=8 : i32[80] i32[80]
__kernel void constant_table_of_id(__global const int* a, __global int* o) {
  int t = get_global_id(0);
  o[t + 2 + steps2[t & 1][(t >> 1) & 1]] = a[t];
}
//@ constant_argument global=64 local=8 : i32<8>[8] i32[80] i32[64]
__kernel void constant_argument(__constant int* table, __global const int* a, __global int* o) {
  int t = get_global_id(0);
  o[t] = a[t + table[t & 7]];
}
//@ vector_of_offsets global=64 local=8 : i32<5>[256] i32[300] i32[64]
__kernel void vector_of_offsets(__global const int* d, __global const int* a, __global int* o) {
  int t = get_global_id(0);
  int4 at = vload4(t, d) * (int4)(1, 2, 3, 4) + t * 4;
  at = at.wzyx;
  at.s13 -= (int2)(1, 2) * (t > 0 ? 1 : 0);
  o[t] = a[at.x] + a[at.y] + a[at.z] + a[at.w];
}
//@ byte_offsets_from_a_cast global=64 local=8 : i32[80] i32[64]
__kernel void byte_offsets_from_a_cast(__global const int* a, __global int* o) {
  int t = get_global_id(0);
  __global const char* p = (__global const char*)a + 4 * t + 1;
  __global const short* q = (__global const short*)(p + 3);
  o[t] = p[6] + q[2];
  ((__global char*)o)[4 * t + 2] = 1;
}
//@ several_exits global=64 local=8 : i32<16>[640] i32[64]
__kernel void several_exits(__global const int* d, __global int* o) {
  int t = get_global_id(0), sum = 0;
  for (int k = 0; k < 10; ++k) {
    int v = d[10 * t + k];
    if (v == 3) break;
    if (v == 5) { o[t] = -1; return; }
    if (v == 7) continue;
    if (v == 9) { k += 2; sum += 100; }
    sum += v;
  }
  o[t] = sum;
}
//@ exit_writes global=64 local=8 : i32<6>[768] i32[768]
__kernel void exit_writes(__global const int* d, __global int* o) {
  int t = get_global_id(0), k = 0;
  do {
    if (d[12 * t + k] == 1) goto out;
    o[12 * t + k] = k;
    if (d[12 * t + k] == 2) ++k;
  } while (++k < 9);
out:
  o[12 * t + k] = -k;
}
//@ counter_of_8_bits global=64 local=8 : i32[320] i32[64] i=250
__kernel void counter_of_8_bits(__global const int* a, __global int* o, int n) {
  int t = get_global_id(0), sum = 0;
  for (uchar k = (uchar)n; k != 10; ++k)
    sum += a[k + t];
  o[t] = sum;
}
//@ counter_of_16_bits global=64 local=8 : i32[512] i32[64] i=65530
__kernel void counter_of_16_bits(__global const int* a, __global int* o, int n) {
  int t = get_global_id(0), sum = 0, steps = 0;
  for (ushort k = (ushort)n; steps < 12; k += 3, ++steps)
    sum += a[(k & 255) + t];
  o[t] = sum;
}
//@ signed_counter_of_8_bits global=64 local=8 : i32[512] i32[64] i=120
__kernel void signed_counter_of_8_bits(__global const int* a, __global int* o, int n) {
  int t = get_global_id(0), sum = 0;
  char k = (char)n;
  do {
    sum += a[128 + k + t];
    k = (char)(k + 2);
  } while (k != -120);
  o[t] = sum;
}
//@ negative_step global=64 local=8 : i32[260] i32[640] i=3
__kernel void negative_step(__global const int* a, __global int* o, int step) {
  int t = get_global_id(0);
  for (int k = 9; k >= 0; k -= step)
    o[10 * t + k] = a[4 * t + (9 - k) / 3];
}
//@ unsigned_down_to_zero global=64 local=8 : i32[640] i32[640] u=7
__kernel void unsigned_down_to_zero(__global const int* a, __global int* o, uint n) {
  int t = get_global_id(0);
  for (uint k = n; k-- > 0;)
    o[10 * t + k] = a[10 * t + n - k];
}
//@ unsigned_past_zero global=64 local=8 : i32[640] i32[640] u=6
__kernel void unsigned_past_zero(__global const int* a, __global int* o, uint n) {
  int t = get_global_id(0);
  for (uint k = n; k <= n; k -= 2)
    o[10 * t + k] = a[10 * t + k + 1];
}
//@ step_changes_sign global=64 local=8 : i32<3>[64] i32[640] i32[64]
__kernel void step_changes_sign(__global const int* d, __global const int* a, __global int* o) {
  int t = get_global_id(0), sum = 0, step = 2;
  for (int k = 0; k >= 0 && k < 10; k += step) {
    sum += a[10 * t + k];
    if (k > 3 + d[t]) step = -1;
    if (sum > 1000000000) break;
  }
  o[t] = sum;
}
//@ two_counters global=64 local=8 : i32[1024] i32[640]
__kernel void two_counters(__global const int* a, __global int* o) {
  int t = get_global_id(0);
  for (int i = 0, j = 9; i <= j; ++i, --j) {
    o[10 * t + i] = a[10 * t + j];
    o[10 * t + j] = a[10 * t + i];
  }
}
//@ counter_carried_over global=64 local=8 : i32<4>[64] i32[640] i32[640]
__kernel void counter_carried_over(__global const int* d, __global const int* a, __global int* o) {
  int t = get_global_id(0), k = 0;
  for (; k < 8; ++k)
    if (a[10 * t + k] % 7 == d[t]) break;
  for (; k < 9; ++k)
    o[10 * t + k] = 1;
  o[10 * t + k] = 2;
}
//@ truncated_id global=512 local=8 : i32[512] i32[512]
__kernel void truncated_id(__global const int* a, __global int* o) {
  uchar low = (uchar)get_global_id(0);
  short wide = (short)(get_global_id(0) * 257);
  o[get_global_id(0)] = a[low] + a[wide & 511];
}
//@ saturating global=64 local=8 : i32[512] i32[64]
__kernel void saturating(__global const int* a, __global int* o) {
  int t = get_global_id(0);
  uchar s = sub_sat((uchar)t, (uchar)20);
  uchar u = add_sat((uchar)(t * 4), (uchar)40);
  char c = add_sat((char)(t + 80), (char)20);
  o[t] = a[s] + a[u] + a[c + 128] + a[convert_uchar_sat(t * 9 - 100)] + a[abs_diff(t, 30)] + a[abs(t - 40)];
}
//@ rotated global=64 local=8 : i32[512] i32[64]
__kernel void rotated(__global const int* a, __global int* o) {
  int t = get_global_id(0);
  o[t] = a[rotate((uchar)t, (uchar)3)] + a[hadd(t, 9)] + a[rhadd((uint)t, 4u)] + a[mul24(t, 3)] + a[mad24(t, 2, 5)] +
         a[mul_hi((uint)t << 28, 16u)] + a[clz(t + 1)] + a[popcount(t)] + a[upsample((uchar)(t & 1), (uchar)t)];
}
//@ guard_by_wrap global=64 local=8 : i32[64] i32[64] i=10
__kernel void guard_by_wrap(__global const int* a, __global int* o, int n) {
  int t = get_global_id(0);
  if ((uchar)(t * 5) < n) o[t] = 1;
  if ((char)(t + 100) < 0) o[t] = a[t - 28];
}
//@ counter_of_char_down global=64 local=8 : i32[900] i32[900]
__kernel void counter_of_char_down(__global const int* a, __global int* o) {
  int t = get_global_id(0);
  for (char k = 5; k >= -6; k -= 3) o[12 * t + k + 6] = a[12 * t + 5 - k];
  for (uchar k = 3; k < 200; k -= 1) o[12 * t + k + 7] = 1;
}
//@ counter_of_short_wraps global=64 local=8 : i32[300] i32[64] i=32766
__kernel void counter_of_short_wraps(__global const int* a, __global int* o, int n) {
  int t = get_global_id(0), sum = 0, steps = 0;
  for (short k = n; k > 0 || k < -32760; ++k, ++steps) sum += a[(k & 127) + t];
  o[t] = sum + steps;
}
//@ bound_changes_inside global=64 local=8 : i32<4>[64] i32[700] i32[700] i=6
__kernel void bound_changes_inside(__global const int* d, __global const int* a, __global int* o, int n) {
  int t = get_global_id(0);
  for (int k = 0; k < n; ++k) {
    if (d[t] == k) n -= 2;
    if (d[t] == 3 && k == 1) n = 10;
    o[10 * t + k] = a[10 * t + n];
  }
}
//@ last_value global=64 local=8 : i32[700] i32[800] i=7
__kernel void last_value(__global const int* a, __global int* o, int n) {
  int t = get_global_id(0), k, j = 0;
  for (k = 0; k < n; k += 3) j = 2 * k;
  o[12 * t + k] = a[j];
  for (; k > 1; k -= 2) ;
  o[12 * t + k] += 1;
}
//@ shifts_beyond_width global=64 local=8 : i32[300] i32[64] i=33
__kernel void shifts_beyond_width(__global const int* a, __global int* o, int n) {
  int t = get_global_id(0);
  o[t] = a[((t << n) & 255)] + a[(t >> n) & 63] + a[((uint)(t + 200) >> (n - 30)) & 127] + a[(uchar)(t << (n - 30))];
}
// The array's elements are unions of numbers and pointers.
typedef union { ulong number; int* pointer; } Either;
//@ number_as_pointer whole=something_else global=8 local=8 : u64[8] i32[8]
__kernel void number_as_pointer(__global const ulong* bits, __global int* o) {
  Either e[2];
  for (int k = 0; k < 2; ++k) e[k].number = bits[k];
  o[get_global_id(0)] = *e[get_local_id(0) & 1].pointer;
}
typedef struct { int* p; int more[8]; } Pair;
//@ number_through_copy whole=something_else global=8 local=8 : u64[8] i32[8]
__kernel void number_through_copy(__global const ulong* bits, __global int* o) {
  Pair a[2], b[2];
  int t = get_local_id(0) & 1;
  *(ulong*)&a[t].p = bits[t];
  b[1] = a[t];
  o[get_global_id(0)] = *b[t].p;
}
//@ number_by_kept_pointer whole=something_else global=8 local=8 : u64[8] i32[8]
__kernel void number_by_kept_pointer(__global const ulong* bits, __global int* o) {
  int* p[2];
  ulong* kept[2];
  int t = get_local_id(0) & 1;
  kept[t] = (ulong*)&p[t];
  *kept[t] = bits[t];
  o[get_global_id(0)] = *p[t];
}
typedef struct { ulong bits[2]; } Bits;
//@ number_in_argument whole=something_else global=8 local=8 : raw=00000000000000000000000000000000 i32[8]
__kernel void number_in_argument(Bits b, __global int* o) { o[get_global_id(0)] = *((int**)b.bits)[get_local_id(0) & 1]; }
//@ number_in_copied_argument whole=something_else global=8 local=8 : raw=00000000000000000000000000000000 i32[8]
__kernel void number_in_copied_argument(Bits b, __global int* o) {
  Bits c[2] = {b, b};
  o[get_global_id(0)] = *((int**)c[get_local_id(0) & 1].bits)[1];
}
