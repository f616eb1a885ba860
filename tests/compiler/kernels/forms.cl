// Address forms and control flow that appear in real programs.
//@ grid_stride global=64 local=8 exact : i32[500] i32[500] i=500
__kernel void grid_stride(__global const int* in, __global int* out, int n) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) out[i] = in[i] * 2;
}
//@ strided global=64 local=8 exact : i32[256] i32[256]
__kernel void strided(__global const int* in, __global int* out) {
  size_t i = get_global_id(0);
  out[4 * i + 1] = in[4 * i];
  out[4 * i + 3] = in[4 * i + 2];
}
typedef struct { float x, y; int kind; char flag; } Particle;
//@ structs global=64 local=8 exact : u8[1024] u8[1024]
__kernel void structs(__global const Particle* in, __global Particle* out) {
  int i = get_global_id(0);
  out[i].y = (float)in[i].kind;
  out[i].kind = in[i].flag;
}
//@ whole_structs global=64 local=8 exact : u8[1024] u8[1024]
__kernel void whole_structs(__global const Particle* in, __global Particle* out) {
  out[get_global_id(0)] = in[get_global_id(0)];
}
typedef struct { int width, height; float scale; short pad; } Shape;
//@ struct_argument global=40,24 local=8,8 exact : f32[960] raw=280000001800000000000040050000000
__kernel void struct_argument(__global float* out, Shape s) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < s.width && y < s.height) out[y * s.width + x] = s.scale * x + s.pad;
}
//@ vector_argument global=40,24 local=8,8 exact : f32[960] f32[960] i4=40,24,3,1
__kernel void vector_argument(__global const float* in, __global float* out, int4 dims) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  if (p.x >= dims.x || p.y >= dims.y) return;
  out[p.y * dims.x + p.x] = in[p.y * dims.x + p.x] + dims.z;
}
//@ masks global=128 local=16 exact : i32[128] i32[128]
__kernel void masks(__global const int* in, __global int* out) {
  int i = get_global_id(0);
  int low = i & 15, high = i >> 4;
  out[(high << 4) | low] = in[(i & ~15) + low];
}
//@ pointers global=16 local=4 exact : i32[160] i32[160] i=10
__kernel void pointers(__global const int* in, __global int* out, int n) {
  in += get_global_id(0) * n;
  out += get_global_id(0) * n;
  while (n--) *out++ = *in++ + 1;
}
//@ do_while global=32 local=8 exact : i32[96]
__kernel void do_while(__global int* out) {
  int i = get_global_id(0), k = 0;
  do {
    out[3 * i + k] = k * i;
    ++k;
  } while (k != 3);
}
//@ breaks global=32 local=8 : i32[320] i32[320]
__kernel void breaks(__global const int* in, __global int* out) {
  int i = get_global_id(0);
  for (int k = 0; k < 10; ++k) {
    if (in[10 * i + k] > 90) break;
    out[10 * i + k] = 1;
  }
}
//@ helpers global=64 local=8 exact : f32[64] f=2.0
__constant float CT[4] = {1.0f, 2.0f, 3.0f, 4.0f};
float helper2(float x, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i) s += x * CT[i & 3] + (float)get_global_id(0);
  return s;
}
inline void put(__global float* out, size_t i, float x) { out[i] = x; }
__kernel void helpers(__global float* out, float x) { put(out, get_global_id(0), helper2(x, 5) + get_global_size(0)); }
//@ calls_kernel global=64 local=8 exact : f32[64] f=3.0
__kernel void calls_kernel(__global float* out, float x) { helpers(out, x + 1); }
//@ switches global=96 local=8 exact : i32[96] i=1
__kernel void switches(__global int* out, int mode) {
  int i = get_global_id(0);
  switch (mode) {
    case 0: out[i] = 1; break;
    case 1: out[i] = 2 * i; break;
    default: out[i] = 3; break;
  }
}
//@ ids global=96 local=8 exact : u64[96] i=0
//@ ids global=24,20 local=8,5 exact : u64[480] i=1
//@ ids global=12,10,9 local=4,5,3 exact : u64[1080] i=2
//@ ids global=24,20 local=8,4 offset=3,7 exact : u64[480] i=1
__kernel void ids(__global ulong* out, int dim) {
  size_t lin = (get_global_id(0) - get_global_offset(0)) + get_global_size(0) * ((get_global_id(1) - get_global_offset(1)) +
      get_global_size(1) * (get_global_id(2) - get_global_offset(2)));
  ulong h = 0;
  for (int d = 0; d < 3; ++d)
    h = h * 31 + get_global_id(d) + 7 * get_group_id(d) + 13 * get_local_id(d) + 17 * get_global_size(d) +
        19 * get_num_groups(d) + 23 * get_local_size(d) + 29 * get_global_offset(d);
  h = h * 31 + get_global_id(dim) + get_work_dim() + get_group_id(dim);
  out[lin] = h;
}
//@ wraps global=64 local=8 : i32[256] i32[256] u=4294967200
__kernel void wraps(__global const int* in, __global int* out, uint big) {
  uint i = get_global_id(0);
  out[i + big + 150] = in[i + big + 150];
}
//@ conditional_sizes global=64 local=8 exact : i32[64] i32[64] i=0 i=64
__kernel void conditional_sizes(__global const int* in, __global int* out, int which, int n) {
  int i = get_global_id(0);
  int limit = which ? n / 2 : n;
  if (i < limit) out[i] = in[i];
}
//@ group_of_rows global=64 local=8 exact : i32[512] i32[512]
__kernel void group_of_rows(__global const int* in, __global int* out) {
  for (int r = 0; r < 8; ++r) {
    size_t row = get_group_id(0) * 8 + r;
    out[row * 8 + get_local_id(0)] = in[row * 8 + get_local_id(0)] + r;
  }
}
//@ leader global=64 local=8 exact : i32[64]
__kernel void leader(__global int* out) {
  if (get_local_id(0) == 3 && get_global_id(0) < 40) out[get_global_id(0)] = 7;
}
//@ not_first global=64 local=8 exact : i32[64]
__kernel void not_first(__global int* out) {
  int i = get_global_id(0);
  if (i != 0 && i != 63) out[i] = 7;
}
//@ two_buffers global=64 local=8 exact : i32[64] i32[64] i32[64] i=1
__kernel void two_buffers(__global int* a, __global int* b, __global int* c, int n) {
  int i = get_global_id(0);
  a[i] = 1;
  b[63 - i] = 2;
  if (n > 0) c[i ^ 0] = 3;
}
//@ prefix global=32 local=8 : i32[32] i32[32]
__kernel void prefix(__global const int* in, __global int* out) {
  int i = get_global_id(0), s = 0;
  for (int k = 0; k <= i; ++k) s += in[k];
  out[i] = s;
}
//@ float3s padded exact global=40 local=8 : f32[160] f32[160]
__kernel void float3s(__global const float3* in, __global float3* out) {
  out[get_global_id(0)] = in[get_global_id(0)] * 2.0f;
}
//@ data_return global=64 local=8 : i32[64] i32[64]
__kernel void data_return(__global const int* in, __global int* out) {
  int i = get_global_id(0);
  if (in[i] > 70) return;
  for (int k = 0; k < 3; ++k)
    if (in[(i + k) % 64] > 95) return;
  out[i] = 5;
}
//@ short_counter global=40 local=8 exact : i32[400] i32[400]
__kernel void short_counter(__global const int* in, __global int* out) {
  for (short k = 0; k < 10; ++k)
    for (uchar j = 0; j < 1; j++) out[get_global_id(0) * 10 + k] = in[get_global_id(0) * 10 + k] + j;
}
//@ column_blocks global=16,8 local=4,4 exact : i32[2048]
__kernel void column_blocks(__global int* out) {
  // four rows per work-item, rows interleaved over work-groups
  int x = get_global_id(0), w = get_global_size(0);
  for (int r = get_local_id(1); r < 16; r += get_local_size(1))
    out[(get_group_id(1) * 16 + r) * w + x] = r;
}
// Events are pointers, too, as far as the compiler is concerned.
//@ event_array global=64 local=8 exact : i32[64] i32[64] local=32
__kernel void event_array(__global const int* in, __global int* out, __local int* tile) {
  event_t halves[2];
  const int part = get_local_size(0) / 2, first = get_group_id(0) * get_local_size(0);
  for (int k = 0; k < 2; ++k)
    halves[k] = async_work_group_copy(tile + k * part, in + first + k * part, part, 0);
  wait_group_events(2, halves);
  out[get_global_id(0)] = tile[2 * part - 1 - get_local_id(0)];
}
typedef struct { int a[2]; uchar kind; } Entry;
typedef struct { Entry entries[4]; int first; int* place; } Own;
// What the array begins with is a table of Clang's own; a pointer into private memory leads to no buffer.
//@ private_objects global=64 local=8 : i32[64] i32[64]
__kernel void private_objects(__global const int* in, __global int* out) {
  int i = get_global_id(0);
  Own own = {{{{1, 2}, 3}, {{4, 5}, 6}, {{7, 8}, 9}, {{10, 11}, 12}}, in[i], 0};
  volatile Entry entries[3] = {{{1, 2}, 3}, {{4, 5}, 6}, {{7, 8}, 9}};
  own.place = &own.entries[in[i] & 3].a[1];
  *own.place += own.first;
  out[i] = own.entries[2].a[1] + *own.place + entries[i % 3].kind;
}
// A fence orders what one work-item does; nobody else looks.
//@ fences global=64 local=8 exact : i32[64] i32[64]
__kernel void fences(__global const int* in, __global int* out) {
  __local int own[8];
  own[get_local_id(0)] = in[get_global_id(0)];
  mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  out[get_global_id(0)] = own[get_local_id(0)];
  write_mem_fence(CLK_GLOBAL_MEM_FENCE);
  read_mem_fence(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] += own[get_local_id(0)];
}
//@ rough global=64 local=8 exact : f32[64] f32[64]
__kernel void rough(__global const float* in, __global float* out) {
  int i = get_global_id(0);
  out[i] = half_sin(in[i]) + half_divide(half_sqrt(in[i]), half_exp2(in[i]) + 1) * half_powr(in[i], 0.5f);
}
// Samplers that no image is read with.
__constant sampler_t program_sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
float pixel(__global const float* in, sampler_t s, int2 at, int width) { return in[at.y * width + at.x]; }
//@ samplers_for_buffers global=16,8 local=8,2 exact : f32[128] f32[128]
__kernel void samplers_for_buffers(__global const float* in, __global float* out) {
  const sampler_t sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  out[at.y * 16 + at.x] = pixel(in, sampler, at, 16) + pixel(in, program_sampler, at, 16);
}
//@ volatile_elements apart exact global=64 local=8 : i32[64] i32[64]
__kernel void volatile_elements(__global volatile const int* in, __global volatile int* out) {
  size_t i = get_global_id(0);
  out[i] = in[i] + in[i];
}
//@ volatile_and_atomic summed global=64 local=8 : i32[64] i32[1]
__kernel void volatile_and_atomic(__global volatile int* flags, __global int* sum) { atomic_add(sum, flags[get_global_id(0)]); }
//@ looks_at_neighbour together global=64 local=8 : i32[72]
__kernel void looks_at_neighbour(__global volatile int* flag) { flag[get_global_id(0)] = flag[get_global_id(0) + 1] & 0; }
//@ looks_at_sum together global=64 local=8 : i32[64] i32[1]
__kernel void looks_at_sum(__global int* seen, __global volatile int* sum) {
  atomic_inc(sum);
  seen[get_global_id(0)] = *sum & 0;
}
// Triangles of a matrix: a row and a column together bound where a work-item writes.
//@ both_triangles apart global=64 local=8 : i32[4096] i=64
__kernel void both_triangles(__global int* out, int n) {
  int row = get_global_id(0);
  for (int column = row + 1; column < n; ++column) {
    out[row * n + column] = row;
    out[column * n + row] = column;
  }
}
//@ lower_triangle apart global=64 local=8 : i32[4096] i32[4096] i=64
__kernel void lower_triangle(__global const int* in, __global int* out, int n) {
  int column = get_global_id(0);
  for (int row = n - 1; row >= column; --row) out[row * n + column] = in[column * n + row];
}
//@ mirrored_pairs apart global=32,32 local=8,8 : i32[1024] i=32
__kernel void mirrored_pairs(__global int* out, int n) {
  int column = get_global_id(0), row = get_global_id(1);
  if (row <= column) {
    out[row * n + column] = row;
    out[column * n + row] = row;
  }
}
//@ past_the_triangle together global=64 local=8 : i32[4200] i=64
__kernel void past_the_triangle(__global int* out, int n) {
  int row = get_global_id(0);
  for (int column = row + 1; column <= n; ++column) {  // one more: the next row's first column
    out[row * n + column] = 1 + (row >> 8);
    if (column < n) out[column * n + row] = 1 + (row >> 8);
  }
}
// The launch decides where to write.
//@ rows_or_columns apart exact global=64,64 local=8,8 : i32[4096] i=64 i=1
//@ rows_or_columns apart exact global=64,64 local=8,8 : i32[4096] i=64 i=0
__kernel void rows_or_columns(__global int* out, int n, int columns) {
  int x = get_global_id(0), y = get_global_id(1);
  int at = columns ? x * n + y : y * n + x;
  out[at] = at;
}
//@ first_or_each apart exact global=64 local=8 : i32[64] i32[64] i=3
//@ first_or_each together global=64 local=8 : i32[64] i32[64] i=2
__kernel void first_or_each(__global const int* in, __global int* out, int each) {
  int i = get_global_id(0), at = 0;
  if (each > 2) at = i * (each - 2) + in[0] * 0;
  out[at] = 1 + (i >> 8);
}
//@ other_half apart exact global=64 local=8 : i32[128] i=1
__kernel void other_half(__global int* out, int upper) {
  __global int* to = upper ? out + 64 + get_global_id(0) : out + 2 * get_global_id(0);
  *to = upper;
}
//@ data_choose together global=64 local=8 : i32[1] i32[64]
__kernel void data_choose(__global const int* in, __global int* out) {
  int i = get_global_id(0);
  out[in[0] > 2 ? i : 63 - i] = 1 + (i >> 8);
}
//@ number_of_place global=96 local=8 exact : f32[96]
//@ number_of_place global=96 local=8 offset=40 exact : f32[96]
__kernel void number_of_place(__global float* out) {
  size_t i = get_global_id(0) - get_global_offset(0);
  out[i] = (float)i / 7.0f;
}
