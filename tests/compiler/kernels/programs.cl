//@ nbody global=64 local=16 exact : f32[256] f32[256] f32[256] i=64 f=0.01 f=0.5 local=256
__kernel void nbody(__global float4* pos, __global float4* vel, __global float4* new_pos, int n, float dt, float eps,
                    __local float4* cache) {
  uint tid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
  uint tiles = n / size;
  float4 me = pos[gid], acc = (float4)(0.0f);
  for (uint i = 0; i < tiles; ++i) {
    cache[tid] = pos[i * size + tid];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = 0; j < size; ++j) {
      float4 r = cache[j] - me;
      float d = r.x * r.x + r.y * r.y + r.z * r.z + eps;
      float inv = 1.0f / sqrt(d);
      acc += cache[j].w * inv * inv * inv * r;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  new_pos[gid] = me + vel[gid] * dt + acc * 0.5f * dt * dt;
}
//@ black_scholes global=128 local=16 exact : f32[100] f32[100] f32[100] f32[100] f32[100] f=0.02 f=0.3 u=100
static float cnd(float d) {
  const float K = 1.0f / (1.0f + 0.2316419f * fabs(d));
  float v = 0.39894228f * exp(-0.5f * d * d) *
            (K * (0.31938153f + K * (-0.356563782f + K * (1.781477937f + K * (-1.821255978f + K * 1.330274429f)))));
  return d > 0 ? 1.0f - v : v;
}
__kernel void black_scholes(__global float* call, __global float* put, __global const float* s, __global const float* x,
                            __global const float* t, float r, float v, uint n) {
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
    float root = sqrt(t[i] + 1), d1 = (log((s[i] + 1) / (x[i] + 1)) + (r + 0.5f * v * v) * t[i]) / (v * root);
    float d2 = d1 - v * root;
    float e = exp(-r * t[i]);
    call[i] = s[i] * cnd(d1) - x[i] * e * cnd(d2);
    put[i] = x[i] * e * (1.0f - cnd(d2)) - s[i] * (1.0f - cnd(d1));
  }
}
//@ mandelbrot global=32,24 local=8,8 exact : i32[768] i=32 i=40
__kernel void mandelbrot(__global int* out, int w, int limit) {
  int x = get_global_id(0), y = get_global_id(1);
  float cr = x * 0.08f - 2.0f, ci = y * 0.08f - 1.0f, zr = 0, zi = 0;
  int k = 0;
  while (k < limit && zr * zr + zi * zi < 4.0f) {
    float t = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci;
    zr = t;
    ++k;
  }
  out[y * w + x] = k;
}
//@ gather global=128 local=16 exact : i32<128>[128] i32[128] i32[128]
__kernel void gather(__global const int* index, __global const int* in, __global int* out) {
  int i = get_global_id(0);
  out[i] = in[index[i]];
}
//@ scatter global=128 local=16 : i32<128>[128] i32[128]
__kernel void scatter(__global const int* index, __global int* out) {
  out[get_global_id(0) + (index[get_global_id(0)] & 0)] = (int)get_global_id(0);
}
//@ spmv global=32 local=8 exact : i32<1>[33] i32<32>[64] f32[64] f32[32] f32[32] i=32
__kernel void spmv(__global const int* start, __global const int* column, __global const float* value,
                   __global const float* x, __global float* y, int n) {
  int row = get_global_id(0);
  if (row < n) {
    float sum = 0;
    for (int k = start[row]; k < start[row + 1] + 2; ++k) sum += value[k] * x[column[k]];
    y[row] = sum;
  }
}
//@ md5ish global=64 local=16 exact : i32[64]
__kernel void md5ish(__global uint* out) {
  uint state = get_global_id(0) * 2654435761u, table[16];
  for (int i = 0; i < 16; ++i) table[i] = state = rotate(state, 5u) ^ (state + i);
  for (int i = 0; i < 64; ++i) state += table[(state >> 7) & 15] * i;
  out[get_global_id(0)] = state;
}
//@ bitonic global=64 local=16 : i32[128] u=2 u=0
__kernel void bitonic(__global uint* a, uint stage, uint pass) {
  uint id = get_global_id(0), distance = 1u << (stage - pass), width = 2 * distance;
  uint left = (id % distance) + (id / distance) * width, right = left + distance;
  uint x = a[left], y = a[right];
  bool up = ((id >> stage) & 1) == 0;
  a[left] = (x < y) == up ? x : y;
  a[right] = (x < y) == up ? y : x;
}
//@ fft_radix2 global=64 local=16 exact : f32[256] f32[256] i=64
__kernel void fft_radix2(__global const float2* in, __global float2* out, int n) {
  int i = get_global_id(0), t = n;
  float2 a = in[i], b = in[i + t];
  out[2 * i] = a + b;
  out[2 * i + 1] = a - b;
}
