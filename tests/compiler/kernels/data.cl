// Indices, conditions and loop bounds that are loaded: known by their type, and by what is done to them. "apart" and
// "together" say whether the halves of a launch are told apart. "together" stands where proof ends, by a little.
//@ masked apart global=64 local=8 : bits[64] i32[256]
__kernel void masked(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  o[4 * t + (d[t] & 3)] = t;
}
//@ masked_too_wide together global=64 local=8 : i32<4>[64] i32[260]
__kernel void masked_too_wide(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  o[4 * t + (d[t] & 7)] = t;
}
//@ masked_with_holes apart global=64 local=8 : bits[64] i32[384]
__kernel void masked_with_holes(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  o[6 * t + (d[t] & 5)] = t;
}
//@ upper_bits_cleared together global=64 local=8 : i32<3>[64] i32[384]
__kernel void upper_bits_cleared(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  o[4 * t + (d[t] & ~3)] = t;
}
//@ rest_unsigned apart global=64 local=8 : bits[64] i32[256]
__kernel void rest_unsigned(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  o[4 * t + d[t] % 4u] = t;
}
// -3 to 3: into the block of a neighbour.
//@ rest_signed together global=64 local=8 : i32[64] i32[256]
__kernel void rest_signed(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  o[4 * t + d[t] % 4] = t;
}
//@ rest_signed_with_room apart global=64 local=8 : bits[64] i32[512]
__kernel void rest_signed_with_room(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  o[8 * t + 3 + d[t] % 4] = t;
}
//@ rest_by_data together global=64 local=8 : i32<4>[64] i32[256]
__kernel void rest_by_data(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  o[4 * t + (uint)t % (uint)(d[t] + 1)] = t;
}
//@ rest_of_a_sum apart global=64 local=8 : bits[65] i32[256]
__kernel void rest_of_a_sum(__global const uint* d, __global int* o) {
  int t = get_global_id(0);
  o[4 * t + (d[t] * 3u + d[t + 1]) % 4u] = t;
}
//@ of_64_bits apart global=64 local=8 : bits[128] i32[256]
__kernel void of_64_bits(__global const ulong* d, __global int* o) {
  int t = get_global_id(0);
  o[4 * t + (d[t] * 5) % 4] = t;
}
//@ of_64_bits_signed together global=64 local=8 : i32[64] i32[256]
__kernel void of_64_bits_signed(__global const int* d, __global int* o) {
  long t = get_global_id(0);
  o[4 * t + (long)d[t] % 4] = t;
}
//@ clamped apart global=64 local=8 : bits[64] i32[256]
__kernel void clamped(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  o[4 * t + clamp(d[t], 0, 3)] = t;
}
//@ clamped_of_64_bits apart global=64 local=8 : bits[128] i32[256]
__kernel void clamped_of_64_bits(__global const long* d, __global int* o) {
  int t = get_global_id(0);
  o[4 * t + clamp(d[t], 0l, 3l)] = t;
}
//@ clamped_at_one_end together global=64 local=8 : i32<4>[64] i32[256]
__kernel void clamped_at_one_end(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  o[4 * t + min(d[t], 3)] = t;
}
// As a signed number it may be negative, as an unsigned one it is then large.
//@ clamped_unsigned apart global=64 local=8 : bits[64] i32[256]
__kernel void clamped_unsigned(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  o[4 * t + min((uint)d[t], 3u)] = t;
}
//@ of_eight_bits apart global=32 local=8 : u8<256>[32] i32[8192]
__kernel void of_eight_bits(__global const uchar* u, __global int* o) {
  int t = get_global_id(0);
  o[256 * t + u[t]] = t;
}
//@ of_eight_bits_signed together global=32 local=8 : u8[32] i32[4096]
__kernel void of_eight_bits_signed(__global const char* u, __global int* o) {
  int t = get_global_id(0);
  o[128 * t + u[t]] = t;
}
//@ of_eight_bits_wrapping apart global=32 local=8 : u8<256>[32] i32[8192]
__kernel void of_eight_bits_wrapping(__global const uchar* u, __global int* o) {
  int t = get_global_id(0);
  o[256 * t + (uchar)(u[t] + 200)] = t;
}
//@ of_nine_bits together global=32 local=8 : u8<128>[32] i32[8192]
__kernel void of_nine_bits(__global const uchar* u, __global int* o) {
  int t = get_global_id(0);
  o[256 * t + 2 * u[t]] = t;
}
//@ of_sixteen_bits_in_a_vector apart global=64 local=8 : bits[64] i32[256]
__kernel void of_sixteen_bits_in_a_vector(__global const ushort2* u, __global int* o) {
  int t = get_global_id(0);
  o[4 * t + (u[t].y >> 14)] = t;
}
//@ shifted apart global=64 local=8 : bits[64] i32[384]
__kernel void shifted(__global const uint* d, __global int* o) {
  int t = get_global_id(0);
  o[6 * t + (d[t] >> 30)] = t;
}
//@ shifted_signed together global=64 local=8 : i32[64] i32[256]
__kernel void shifted_signed(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  o[4 * t + (d[t] >> 29)] = t;
}
//@ hashed apart global=64 local=8 : bits[64] i32[256]
__kernel void hashed(__global const uint* d, __global int* o) {
  int t = get_global_id(0);
  uint h = d[t];
  for (int k = 0; k < 3; ++k) h = (h ^ (h >> 15)) * 0x85ebca6bu + t;
  h ^= h >> 13; h *= 0xc2b2ae35u; h ^= h >> 16; h *= 0x27d4eb2fu; h ^= h >> 15;
  o[4 * t + (h & 3u)] = t;
}
//@ compared apart global=64 local=8 : bits[64] i32[256]
__kernel void compared(__global const int* d, __global int* o) {
  int t = get_global_id(0), n = d[t] >> 24;
  if (n >= 0 && n < 4) o[4 * t + n] = t;
}
//@ compared_as_unsigned apart global=64 local=8 : bits[64] i32[256]
__kernel void compared_as_unsigned(__global const int* d, __global int* o) {
  int t = get_global_id(0), n = d[t] % 9;
  if ((uint)n < 4u) o[4 * t + n] = t;
}
//@ compared_sum apart global=64 local=8 : bits[64] i32[256]
__kernel void compared_sum(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  if (d[t] + 5 >= 0 && d[t] + 5 < 4) o[4 * t + d[t] + 5] = t;
}
//@ compared_at_one_end together global=64 local=8 : i32<8>[64] i32[256]
__kernel void compared_at_one_end(__global const int* d, __global int* o) {
  int t = get_global_id(0), n = d[t];
  if (n < 4) o[4 * t + n] = t;
}
//@ compared_wrongly together global=64 local=8 : i32<4>[64] i32[256]
__kernel void compared_wrongly(__global const int* d, __global int* o) {
  int t = get_global_id(0), n = d[t];
  if (n >= 0 || n < 4) o[4 * t + n] = t;
}
// The second load may give another number than the first: it is compared, but not used.
//@ compared_before_a_change together global=64 local=8 : i32<4>[64] i32[256]
__kernel void compared_before_a_change(__global int* d, __global int* o) {
  int t = get_global_id(0);
  if (d[t] >= 0 && d[t] < 4) {
    o[4 * t] = 5;
    d[t] += o[4 * t] - 5;
    o[4 * t + d[t]] = t;
  }
}
//@ compared_in_another_iteration together global=16 local=4 : i32<4>[64] i32[64]
__kernel void compared_in_another_iteration(__global const int* d, __global int* o) {
  int t = get_global_id(0), n = 0;
  for (int k = 0; k < 4; ++k) {
    o[4 * t + n] = k;
    n = d[4 * t + k];
    if (n < 0 || n > 3) break;
    if (k == 2) n += d[4 * t];
    n = n > 3 ? n - 3 : n;
  }
}
//@ compared_in_this_iteration apart global=16 local=4 : i32<9>[64] i32[64]
__kernel void compared_in_this_iteration(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  for (int k = 0; k < 4; ++k) {
    int n = d[4 * t + k];
    if (n >= 0 && n <= 3) o[4 * t + n] = k;
  }
}
//@ switched apart global=64 local=8 : bits[64] i32[256]
__kernel void switched(__global const uint* d, __global int* o) {
  int t = get_global_id(0);
  switch (d[t] & 7u) {
    case 0: o[4 * t + 1] = 1; break;
    case 5: o[4 * t + 3] = 5; break;
    default: o[4 * t] = 0; break;
  }
}
//@ bounded_loop apart global=64 local=8 : i32[64] i32[512]
__kernel void bounded_loop(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  for (int k = 0; k < min(d[t], 8); ++k) o[8 * t + k] = k;
}
//@ bounded_loop_by_one_more together global=64 local=8 : i32<8>[64] i32[520]
__kernel void bounded_loop_by_one_more(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  for (int k = 0; k <= min(d[t], 8); ++k) o[8 * t + k] = k;
}
//@ unbounded_loop together global=64 local=8 : i32<9>[64] i32[512]
__kernel void unbounded_loop(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  for (int k = 0; k < d[t]; ++k) o[8 * t + k] = k;
}
//@ bounded_by_a_byte apart global=16 local=4 : u8[16] i32[4096] i32[256]
__kernel void bounded_by_a_byte(__global const uchar* u, __global const int* in, __global int* o) {
  int t = get_global_id(0), sum = 0;
  for (int k = 0; k < u[t]; ++k) sum += in[256 * t + k];
  o[t] = sum;
}
//@ counting_down apart global=64 local=8 : bits[64] i32[512]
__kernel void counting_down(__global const uint* d, __global int* o) {
  int t = get_global_id(0);
  uint k = d[t] & 7u;
  while (k-- > 0) o[8 * t + k] = t;
}
//@ looked_up apart global=64 local=8 : u8<256>[64] i32[256] i32[64]
__kernel void looked_up(__global const uchar* u, __global const int* table, __global int* o) {
  int t = get_global_id(0);
  o[t] = table[u[t]] + table[u[t] ^ 1];
}
//@ looked_up_anywhere apart global=64 local=8 : i32[64] i32[100] i32[64]
__kernel void looked_up_anywhere(__global const int* d, __global const int* table, __global int* o) {
  int t = get_global_id(0);
  o[t] = table[d[t]];
}
//@ scattered together global=64 local=8 : i32<1>[64] i32[64]
__kernel void scattered(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  o[t + d[t]] = t;
}
//@ in_place apart global=64 local=8 : bits[256]
__kernel void in_place(__global uint* o) {
  int t = get_global_id(0);
  o[4 * t + (o[4 * t] & 3u)] += o[4 * t + 3] % 5u;
}
//@ in_place_of_a_neighbour together global=64 local=8 : i32[64] bits[264]
__kernel void in_place_of_a_neighbour(__global const int* d, __global uint* o) {
  int t = get_global_id(0);
  if (d[t] > 200) o[4 * t + (o[4 * t + 4] & 3u)] = 1;
}
// The same number of 32 bits, but not of 64.
//@ widened_before_it_wraps together global=64 local=8 : i32<1>[64] i32[256]
__kernel void widened_before_it_wraps(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  o[4 * (long)t + (((long)d[t] << 32) >> 32 & 0x1ffffffffl)] = t;
}
//@ selected_bits apart global=64 local=8 : bits[65] i32[256]
__kernel void selected_bits(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  int n = d[t] > d[t + 1] ? d[t] : t;
  o[4 * t + (n & 3)] = t;
}
//@ uniform_or_not apart global=64 local=8 : bits[1] i32[256]
__kernel void uniform_or_not(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  o[4 * t + (d[0] & 3)] = t;
}
//@ neighbours_swapped apart global=64 local=8 : i32[64] i32[64]
__kernel void neighbours_swapped(__global const int* in, __global int* o) {
  int t = get_global_id(0);
  o[t ^ 5] = in[t ^ 1];
}
// Groups of four are no whole blocks of eight.
//@ neighbours_of_more_than_a_group together global=12 local=4 : i32[16] i32[16]
__kernel void neighbours_of_more_than_a_group(__global const int* in, __global int* o) {
  int t = get_global_id(0);
  o[t ^ 7] = in[t];
}
//@ butterflies apart global=64 local=8 : i32[64] i=4
//@ butterflies together global=192 local=8 : i32[256] i=64
__kernel void butterflies(__global int* a, int j) {
  int t = get_global_id(0), other = t ^ j;
  if (other > t) {
    int x = a[t], y = a[other];
    a[t] = min(x, y);
    a[other] = max(x, y);
  }
}
//@ bits_set apart global=64 local=8 : bits[64] i32[512]
__kernel void bits_set(__global const uint* d, __global int* o) {
  int t = get_global_id(0);
  o[(8 * t) | (d[t] & 7u)] = o[(8 * t + 3) ^ (d[t] >> 30)];
}
// What a loop leaves behind.
//@ planes apart exact global=16,8 local=8,2 : i32[768] i32[768] i=6
//@ planes apart global=16,8 local=8,2 : i32[768] i32[768] i=1
__kernel void planes(__global const int* in, __global int* o, int nz) {
  int x = get_global_id(0), y = get_global_id(1), plane = 16 * 8, c = y * 16 + x;
  for (int k = 0; k < nz - 1; ++k) {
    o[c] = in[c] + in[c + plane];
    c += plane;
  }
  o[c] = in[c];
}
//@ rest_of_steps apart global=16 local=4 : i32[176] i32[176] i=11
__kernel void rest_of_steps(__global const int* in, __global int* o, int n) {
  int t = get_global_id(0), k = 0;
  for (; k + 3 < n; k += 4) o[11 * t + k] = in[11 * t + k];
  for (; k < n; ++k) o[11 * t + k] = 7;
}
//@ pointer_at_the_end apart global=16 local=4 : i32[176] i=11
__kernel void pointer_at_the_end(__global int* o, int n) {
  __global int* p = o + n * get_global_id(0);
  for (int k = 1; k < n; ++k) *p++ = k;
  *p = 100;
}
//@ ended_early together global=16 local=4 : i32[176] i32[176] i=11
__kernel void ended_early(__global const int* in, __global int* o, int n) {
  int t = get_global_id(0), c = 11 * t;
  for (int k = 0; k < n - 1; ++k) {
    if (in[c] > 100) break;
    c += 1 + (k >> 8);
  }
  o[c] = 5 + (t >> 8);
}
//@ left_behind_by_data apart global=16 local=4 : u8[16] i32[1024]
__kernel void left_behind_by_data(__global const uchar* u, __global int* o) {
  int t = get_global_id(0), c = 64 * t, n = u[t] & 63;
  for (int k = 0; k < n; ++k) ++c;
  o[c] = 5;
}
// Unsigned numbers of 64 bits, read as signed ones: they may be negative.
//@ or_of_64_bits together global=64 local=8 : i32<4>[128] i32[264]
__kernel void or_of_64_bits(__global const long* d, __global int* o) {
  long t = get_global_id(0);
  o[4 * t + 4 + clamp(d[t] | 1L, -4L, 3L)] = t;
}
//@ xor_of_64_bits together global=64 local=8 : i32<4>[128] i32[264]
__kernel void xor_of_64_bits(__global const long* d, __global int* o) {
  long t = get_global_id(0);
  o[4 * t + 4 + (d[t] ^ 1L) % 4] = t;
}
//@ largest_of_64_bits together global=64 local=8 : i32<4>[128] i32[264]
__kernel void largest_of_64_bits(__global const ulong* d, __global int* o) {
  long t = get_global_id(0), x = max(d[t], 1UL);
  if (x < 4) o[4 * t + 4 + x] = t;
}
//@ mask_of_64_bits apart global=64 local=8 : bits[128] i32[512]
__kernel void mask_of_64_bits(__global const long* d, __global int* o) {
  long t = get_global_id(0);
  o[8 * t + (d[t] & 5L)] = t;
}
// Functions of integers. Of vectors, each component is such a number.
//@ counted_bits apart global=64 local=8 : bits[64] i32[2112]
__kernel void counted_bits(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  o[33 * t + popcount(d[t])] = t;
}
//@ counted_bits_too_close together global=64 local=8 : bits[64] i32[2112]
__kernel void counted_bits_too_close(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  o[32 * t + (d[t] == -1 ? 0 : popcount(d[t] ^ 1))] = t;
}
//@ leading_zeros apart global=64 local=8 : bits[64] i32[576]
__kernel void leading_zeros(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  o[9 * t + clz((uchar)d[t])] = t;
}
//@ saturated apart global=64 local=8 : bits[64] i32[192]
__kernel void saturated(__global const uint* d, __global int* o) {
  int t = get_global_id(0);
  o[3 * t + sub_sat(d[t] & 3u, 1u)] = t;
}
//@ saturated_with_sign together global=64 local=8 : i32<3>[64] i32[200]
__kernel void saturated_with_sign(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  o[3 * t + 1 + sub_sat(d[t] & 3, 1)] = t;
}
//@ saturated_bytes apart global=64 local=8 : bits[64] i32[384]
__kernel void saturated_bytes(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  o[6 * t + add_sat((uchar)(d[t] & 7), (uchar)250) - 250] = t;
}
//@ averaged apart global=64 local=8 : bits[64] i32[192]
__kernel void averaged(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  o[3 * t + hadd(d[t] & 3, 3) - 1] = t;
}
//@ averaged_up apart global=64 local=8 : bits[64] i32[128]
__kernel void averaged_up(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  o[2 * t + rhadd(d[t] & 3, 3) - 2] = t;
}
//@ averaged_too_close together global=64 local=8 : i32<3>[64] i32[192]
__kernel void averaged_too_close(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  o[2 * t + hadd(d[t] & 3, 3) - 1] = t;
}
//@ clamped_vectors apart global=64 local=8 : bits[256] i32[1024]
__kernel void clamped_vectors(__global const int4* d, __global int* o) {
  int t = get_global_id(0);
  int4 v = clamp(d[t], (int4)(0), (int4)(3));  // with scalar bounds, Oclgrind reads beyond them
  o[16 * t + v.x + 4 * v.w] = t;
}
//@ clamped_vectors_too_close together global=64 local=8 : i32<4>[256] i32[1024]
__kernel void clamped_vectors_too_close(__global const int4* d, __global int* o) {
  int t = get_global_id(0);
  int4 v = clamp(d[t], (int4)(0, 1, 0, 0), (int4)(3, 4, 3, 3));
  o[15 * t + v.x + 4 * v.y - 4] = t;
}
//@ smallest_of_vectors apart global=64 local=8 : bits[128] i32[256]
__kernel void smallest_of_vectors(__global const uint2* d, __global int* o) {
  int t = get_global_id(0);
  uint2 v = min(d[t], (uint2)(1, 1));
  o[4 * t + v.x + 2 * v.y] = t;
}
// A loop whose bound is a minimum: how often it runs does not depend on where it begins.
//@ rows_of_a_tile apart global=16,8 local=8,2 : i32[512] i=30
__kernel void rows_of_a_tile(__global int* o, int rows) {
  int x = get_global_id(0), y0 = get_global_id(1) * 4;
  for (int y = y0, y1 = min(rows, y0 + 4); y < y1; ++y) o[y * 16 + x] = y;
}
//@ rows_within_limits apart global=16,8 local=8,2 : i32[512] i=30
__kernel void rows_within_limits(__global int* o, int rows) {
  int x = get_global_id(0), y0 = get_global_id(1) * 4;
  for (int y = max(2, y0); y < min(rows, y0 + 4); ++y) o[y * 16 + x] = y;
}
//@ rows_downwards apart global=16,8 local=8,2 : i32[512] i=3
__kernel void rows_downwards(__global int* o, int first) {
  int x = get_global_id(0), y0 = get_global_id(1) * 4, last = max(first, y0);
  for (int y = y0 + 3; y >= last; --y) o[y * 16 + x] = y;
}
//@ rows_too_many together global=16,8 local=8,2 : i32[512] i=30
__kernel void rows_too_many(__global int* o, int rows) {
  int x = get_global_id(0), y0 = get_global_id(1) * 3;
  for (int y = y0, y1 = min(rows, y0 + 4); y < y1; ++y) o[y * 16 + x] = x;
}
//@ rows_to_the_farther_end together global=16,8 local=8,2 : i32[512] i=8
__kernel void rows_to_the_farther_end(__global int* o, int rows) {
  int x = get_global_id(0), y0 = get_global_id(1) * 4;
  for (int y = y0, y1 = max(rows, y0 + 4); y < y1; ++y) o[y * 16 + x] = x;
}
// A loop that runs once: what it moves is what it was before.
//@ one_row_each apart global=16,8 local=8,2 : i32[128] i=6
__kernel void one_row_each(__global int* o, int rows) {
  int x = get_global_id(0), y = get_global_id(1), at = y * 16 + x;
  for (int k = 0; k < 1; ++k) {
    if (y < rows) {
      o[at] = y;
      ++y;
      at += 16;
    }
  }
}
//@ one_row_and_more together global=16,8 local=8,2 : i32[160] i=6
__kernel void one_row_and_more(__global int* o, int rows) {
  int x = get_global_id(0), y = get_global_id(1), at = y * 16 + x;
  for (int k = 0; k < 1; ++k) {
    if (y < rows) {
      ++y;
      at += 16;
    }
  }
  o[at] = x;
}
// Steps that an iteration takes or leaves.
//@ some_steps apart global=16,8 local=8,2 : i32[512] i=30
__kernel void some_steps(__global int* o, int rows) {
  int x = get_global_id(0), y = get_global_id(1) * 4, at = y * 16 + x;
  for (int k = 0; k < 4; ++k) {
    if (y + k < rows) {
      o[at] = y + k;
      at += 16;
    }
  }
}
//@ steps_by_data apart global=16 local=4 : i32[128] i32[144]
__kernel void steps_by_data(__global const int* d, __global int* o) {
  int t = get_global_id(0), n = 0;
  for (int k = 0; k < 8; ++k)
    if (d[8 * t + k] > 50) o[8 * t + n++] = k;
}
//@ steps_by_data_and_one_more together global=16 local=4 : i32<40>[128] i32[144]
__kernel void steps_by_data_and_one_more(__global const int* d, __global int* o) {
  int t = get_global_id(0), n = 0;
  for (int k = 0; k < 8; ++k) {
    if (d[8 * t + k] > 50) n++;
    o[8 * t + n] = k;
  }
}
//@ pointer_by_data apart global=16 local=4 : i32[128] i32[144]
__kernel void pointer_by_data(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  __global int* p = o + 9 * t;
  for (int k = 0; k < 8; ++k) {
    if (d[8 * t + k] > 50) ++p;
    *p = k;
  }
}
// Two counters, and how far they are apart: nothing is known of that but what is known of each.
//@ two_counters together global=16 local=4 : i32<40>[128] i32[400]
__kernel void two_counters(__global const int* d, __global int* o) {
  int t = get_global_id(0), n = 0, m = 0;
  for (int k = 0; k < 8; ++k) {
    if (d[8 * t + k] > 50) n++;
    if (d[8 * t + (k ^ 1)] > 60) m++;
    o[9 * t + 8 + n - m] = k;
  }
}
//@ two_counters_with_room apart global=16 local=4 : i32[128] i32[400]
__kernel void two_counters_with_room(__global const int* d, __global int* o) {
  int t = get_global_id(0), n = 0, m = 0;
  for (int k = 0; k < 8; ++k) {
    if (d[8 * t + k] > 50) n++;
    if (d[8 * t + (k ^ 1)] > 60) m++;
    o[17 * t + 8 + n - m] = k;
  }
}
// One choice of each iteration is not that of another one.
//@ last_choice_times_all together global=16 local=4 : i32<40>[128] i32[200]
__kernel void last_choice_times_all(__global const int* d, __global int* o) {
  int t = get_global_id(0), n = 0;
  for (int k = 0; k < 8; ++k) {
    int u = d[8 * t + k] > 50 ? 1 : 0;
    o[t + 8 + n - k * u] = 5 + (t >> 8);
    n += u;
  }
}
// Positions in a ring.
//@ around_a_ring apart global=16 local=4 : i32[128] i32[112]
__kernel void around_a_ring(__global const int* d, __global int* o) {
  int t = get_global_id(0), at = 0;
  for (int k = 0; k < 20; ++k) {
    o[7 * t + at] = k;
    if (d[8 * t + (k & 7)] > 50) at = (at + 1) % 7;
  }
}
//@ around_a_larger_ring together global=16 local=4 : i32<40>[128] i32[112]
__kernel void around_a_larger_ring(__global const int* d, __global int* o) {
  int t = get_global_id(0), at = 0;
  for (int k = 0; k < 20; ++k) {
    o[6 * t + at] = k;
    if (d[8 * t + (k & 7)] > 50) at = (at + 1) % 7;
  }
}
//@ backwards_around_a_ring together global=16 local=4 : i32<40>[128] i32[120]
__kernel void backwards_around_a_ring(__global const int* d, __global int* o) {
  int t = get_global_id(0), at = 0;
  for (int k = 0; k < 20; ++k) {
    o[7 * t + 6 + at] = k;
    if (d[8 * t + (k & 7)] > 50) at = (at - 1) % 7;
  }
}
//@ begun_outside_the_ring together global=16 local=4 : i32[112]
__kernel void begun_outside_the_ring(__global int* o) {
  int t = get_global_id(0), at = 9;
  for (int k = 0; k < 20; ++k) {
    if (t == 15) at = 0;
    o[7 * t + at] = 3 + (t >> 8);
    at = (at + 1) % 3;
  }
}
//@ left_undefined_elsewhere apart global=64 local=8 : i32[64] i=50
__kernel void left_undefined_elsewhere(__global int* o, int n) {
  int t = get_global_id(0), at;
  if (t < n) at = t;
  if (n > 10) barrier(CLK_LOCAL_MEM_FENCE);
  if (t < n) o[at] = t;
}
