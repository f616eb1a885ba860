// Values of which only a range is known, and other places where two things could be mistaken for one.
//@ sign_as_index global=64 local=8 : i32<3>[66] i32[67] i32[64]
__kernel void sign_as_index(__global const int* d, __global const int* a, __global int* o) {
  int t = get_global_id(0), v = d[t] - 1;
  int s = (v > 0) - (v < 0);
  o[t] = a[t + 1 + s];
}
//@ truths_differ global=64 local=8 : i32<2>[65] i32[64]
__kernel void truths_differ(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  if ((d[t] > 0) != (d[t + 1] > 0)) o[t] = 7;
}
//@ truth_of_data_and_of_id global=64 local=8 : i32<2>[64] i32[64]
__kernel void truth_of_data_and_of_id(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  if ((d[t] > 0) == (t < 1000)) o[t] = 7;
}
//@ selects_cancel global=64 local=8 : i32<2>[65] i32[66] i32[64]
__kernel void selects_cancel(__global const int* d, __global const int* a, __global int* o) {
  int t = get_global_id(0);
  int x = d[t] ? 2 : 1, y = d[t + 1] ? 2 : 1;
  o[t] = a[t + 1 + x - y];
}
//@ branches_cancel global=64 local=8 : i32<2>[65] i32[66] i32[64]
__kernel void branches_cancel(__global const int* d, __global const int* a, __global int* o) {
  int t = get_global_id(0), x = 1, y = 1;
  if (d[t]) { x = 2; o[t] = 1; }
  if (d[t + 1]) { y = 2; o[t] = 2; }
  o[t] += a[t + 1 + x - y];
}
//@ pointers_cancel global=64 local=8 : i32<2>[65] i32[66] i32[64]
__kernel void pointers_cancel(__global const int* d, __global const int* a, __global int* o) {
  int t = get_global_id(0);
  __global const int *p = d[t] ? a + 2 : a + 1, *q = d[t + 1] ? p - 1 : p;
  o[t] = q[t];
}
//@ lanes_cancel global=64 local=8 : i32<2>[130] i32[66] i32[64]
__kernel void lanes_cancel(__global const int* d, __global const int* a, __global int* o) {
  int t = get_global_id(0);
  int2 v = vload2(t, d), c = (int2)(v.x > 0, v.y > 0);
  o[t] = a[t + 1 + c.x - c.y];
}
typedef struct { int n, k; } Changed;
//@ struct_argument_written whole=the_struct_argument_'s'_is_changed global=64 local=8 : i32[64] i32[64] raw=0100000001000000
__kernel void struct_argument_written(__global const int* d, __global int* o, Changed s) {
  int t = get_global_id(0);
  if (d[t] >= 0) s.n = 0;
  if (s.n != 0) o[63 - t] = 1;
  o[t] = s.n;
}
//@ struct_argument_indexed whole=the_struct_argument_'s'_is_changed global=64 local=8 : i32<2>[64] i32[66] i32[64] raw=0100000002000000
__kernel void struct_argument_indexed(__global const int* d, __global const int* a, __global int* o, Changed s) {
  int t = get_global_id(0);
  ((int*)&s)[d[t]] = 0;
  o[t] = a[t + s.n + s.k - 1 + (s.n == 0 ? 1 : 0)];
}
void change(Changed* s, int by) { s->n -= by; }
//@ struct_argument_passed_on whole=the_struct_argument_'s'_is_changed global=64 local=8 : i32<2>[64] i32[66] i32[64] raw=0100000002000000
__kernel void struct_argument_passed_on(__global const int* d, __global const int* a, __global int* o, Changed s) {
  int t = get_global_id(0);
  for (int i = 0; i < 2; ++i) change(&s, d[t] - 1);
  o[t] = a[t + s.n - 1];
}
//@ struct_argument_read global=64 local=8 exact : i32[64] i32[64] raw=0100000002000000
__kernel void struct_argument_read(__global const int* a, __global int* o, Changed s) {
  int t = get_global_id(0);
  Changed c = s;
  if (t < 32 * c.k) o[t] = a[t * c.n];
}
//@ bound_cut_to_32_bits global=64 local=8 : i32[64] raw=0000000001000000
__kernel void bound_cut_to_32_bits(__global int* o, long n) {
  int t = get_global_id(0);
  for (uint i = 0; i != (uint)n; ++i) o[t] = i;
}
//@ bound_cut_to_8_bits global=64 local=8 : i32[192] i=258
__kernel void bound_cut_to_8_bits(__global int* o, int n) {
  int t = get_global_id(0);
  for (uchar i = 0; i != (uchar)n; ++i) o[3 * t + i] = 5;
}
//@ bound_in_range global=64 local=8 exact : i32[192] raw=0300000000000000
__kernel void bound_in_range(__global int* o, long n) {
  int t = get_global_id(0);
  for (uint i = 0; i != (uint)n; ++i) o[3 * t + i] = 5;
}
//@ step_of_data global=64 local=8 : i32<2>[256] i32[68] i32[64]
__kernel void step_of_data(__global const int* d, __global const int* a, __global int* o) {
  int t = get_global_id(0), x = 0;
  for (int i = 0; i < 4; ++i) x += (d[4 * t + i] > 0);
  o[t] = a[t + x];
}
//@ step_of_data_inside global=16 local=4 : i32<2>[128] i32[144] i32[128]
__kernel void step_of_data_inside(__global const int* d, __global const int* a, __global int* o) {
  int t = get_global_id(0), x = 0;
  for (int i = 0; i < 8; ++i) {
    o[8 * t + i] = a[8 * t + x];
    x += d[8 * t + i] > 0 ? 2 : 1;
  }
}
//@ pointer_steps_of_data global=16 local=4 : i32<2>[128] i32[144] i32[128]
__kernel void pointer_steps_of_data(__global const int* d, __global const int* a, __global int* o) {
  int t = get_global_id(0);
  a += 8 * t;
  for (int i = 0; i < 8; ++i) {
    o[8 * t + i] = *a;
    a += d[8 * t + i] ? 2 : 1;
  }
}
//@ fixed_step_of_data global=16 local=4 : i32<2>[16] i32[144] i32[128]
__kernel void fixed_step_of_data(__global const int* d, __global const int* a, __global int* o) {
  int t = get_global_id(0), step = d[t] > 0 ? 2 : 1;
  for (int i = 0, x = 0; i < 8; ++i, x += step) o[8 * t + i] = a[8 * t + x];
}
//@ last_of_a_loop global=64 local=8 : i32<2>[256] i32[66] i32[64]
__kernel void last_of_a_loop(__global const int* d, __global const int* a, __global int* o) {
  int t = get_global_id(0), x = 0;
  for (int i = 0; i < 4; ++i) {
    x = d[4 * t + i] > 0 ? 2 : 0;
    if (x) o[t] = i;
  }
  o[t] += a[t + x];
}
//@ this_and_last_iteration global=16 local=4 : i32<2>[128] i32[128] i32[128]
__kernel void this_and_last_iteration(__global const int* d, __global const int* a, __global int* o) {
  int t = get_global_id(0), before = 0;
  for (int i = 0; i < 8; ++i) {
    int now = d[8 * t + i] > 0;
    if (now != before) o[8 * t + i] = a[8 * t + i];
    before = now;
  }
}
//@ bound_of_data_inside global=16 local=4 : i32<2>[128] i32[128]
__kernel void bound_of_data_inside(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  for (int i = 0; i < 8 / (1 + (d[8 * t + i] > 0)); ++i) o[8 * t + i] = i;
}
//@ inner_bound_of_data global=16 local=4 : i32<2>[64] i32[192]
__kernel void inner_bound_of_data(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  for (int i = 0; i < 4; ++i) {
    int n = d[4 * t + i] ? 3 : 1;
    for (int k = 0; k < n; ++k) o[12 * t + 3 * i + k] = k;
  }
}
//@ switch_on_data global=64 local=8 : i32<3>[64] i32[67] i32[64]
__kernel void switch_on_data(__global const int* d, __global const int* a, __global int* o) {
  int t = get_global_id(0), x;
  switch (d[t]) {
    case 0: x = 1; break;
    case 1: x = 2; break;
    default: x = 3; break;
  }
  if (x != 2) o[t] = a[t + x];
}
//@ sure_in_both_ways global=64 local=8 exact : i32<2>[64] i32[64]
__kernel void sure_in_both_ways(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  if (d[t] > 0) o[t] = 1; else o[t] = 2;
}
//@ different_places_in_both_ways global=64 local=8 : i32<2>[64] i32[65]
__kernel void different_places_in_both_ways(__global const int* d, __global int* o) {
  int t = get_global_id(0);
  int x = d[t] > 0, y = d[63 - t] > 0;
  if (t & 1) o[t / 2 * 2 + x] = 1; else if (t == 66) o[t / 2 * 2 + y] = 2;
}
//@ three_components_copied global=16 local=4 padded : f32[64] f32[64]
__kernel void three_components_copied(__global const float3* a, __global float3* o) {
  __local float3 tile[4];
  event_t e = async_work_group_copy(tile, a + 4 * get_group_id(0), 4, 0);
  wait_group_events(1, &e);
  float3 v = tile[3 - get_local_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  tile[get_local_id(0)] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  e = async_work_group_copy(o + 4 * get_group_id(0), tile, 4, 0);
  wait_group_events(1, &e);
}
//@ three_components_by_pointer global=16 local=4 padded : f32[64] f32[64] f32[64]
__kernel void three_components_by_pointer(__global const float3* a, __global float3* o, __global float3* whole) {
  int t = get_global_id(0);
  o[t] = fract(a[t] * 0.3f, &whole[t]);
}
//@ three_components_packed global=16 local=4 exact : f32[48] f32[48]
__kernel void three_components_packed(__global const float* a, __global float* o) {
  int t = get_global_id(0);
  vstore3(vload3(t, a) + 1, t, o);
}
//@ a_fourth_dimension global=64 local=8 : i32[64]
__kernel void a_fourth_dimension(__global int* o) {
  int t = get_global_id(0);
  o[t] = get_global_size(3) * 1000 + get_num_groups(4) * 100 + get_local_size(3) * 10 + get_global_id(5);
}
//@ all_dimensions_in_turn global=8,8 local=2,2 : i32[320]
__kernel void all_dimensions_in_turn(__global int* o) {
  int t = get_global_id(1) * get_global_size(0) + get_global_id(0);
  for (uint d = 0; d < 5; ++d) o[5 * t + d] = get_global_size(d) * 100 + get_num_groups(d) * 10 + get_global_id(d);
}
__constant int TABLE[4] = {1, 2, 3, 4};
//@ first_a_table whole=which_buffer global=16 local=4 : i32[4] i32[64]
__kernel void first_a_table(__constant int* c, __global int* o) {
  int t = get_global_id(0);
  __constant int* p = TABLE;
  for (int i = 0; i < 4; ++i) {
    o[4 * t + i] = p[i];
    p = c;
  }
}
//@ twice_in_a_table global=16 local=4 exact : i32[64]
__kernel void twice_in_a_table(__global int* o) {
  int t = get_global_id(0);
  __constant int* p = TABLE;
  for (int i = 0; i < 4; ++i) o[4 * t + i] = *p++;
}
// What fills a struct up is undefined: some compilers store it, and some do not.
typedef struct { int x, y, z; char c; } Roomy;
//@ struct_with_room padded apart global=64 local=8 : bits[256]
__kernel void struct_with_room(__global Roomy* o) {
  int t = get_global_id(0);
  Roomy s = {1, t, 2, 5};
  o[t] = s;
}
//@ struct_copied exact global=64 local=8 : bits[256] bits[256]
__kernel void struct_copied(__global const Roomy* in, __global Roomy* o) { o[get_global_id(0)] = in[get_global_id(0)]; }
//@ counted_in_early_rounds global=64 local=4 : i32[64] i32[8192] i=16
__kernel void counted_in_early_rounds(__global int* out, __global const int* table, uint n) {
  uint i = get_global_id(0);
  int q = 0, sum = 0;
  for (uint k = 0; k < n; k++) {
    if (k >= 8) sum += table[i * 128 + q];
    int c = 0;
    for (uint j = k - 8; j < k; j++) c++;  // no round where k < 8
    q += c;
  }
  out[i] = sum;
}
//@ wraps_in_early_rounds global=256 local=16 : i32[256] i32[20000]
__kernel void wraps_in_early_rounds(__global int* out, __global const int* table) {
  int i = get_global_id(0), p = 0, sum = 0;
  for (int k = 0; k < 300; k++) {
    if (k >= 100) sum += table[i + p];
    p += (char)(k - 200) - (k - 200) + 1;
  }
  out[i] = sum;
}
//@ handed_on_from_another_branch global=64 local=4 : i32[64] u8[1024] i32[16896] i=16
__kernel void handed_on_from_another_branch(__global int* out, __global const uchar* codes, __global const int* table,
                                            int n) {
  int row = get_global_id(0), last = 0, sum = 0;
  for (int k = 0; k < n; k++) {
    int code = codes[row * n + k] >> 1;
    if (code < 16) sum += table[(row + 1) * 256 + last];
    last = (char)(code + 64);
  }
  out[row] = sum;
}
