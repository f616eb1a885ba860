//@ five_point global=40,24 local=8,8 exact : f32[960] f32[960] i=40 i=24
__kernel void five_point(__global const float* in, __global float* out, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x > 0 && x < w - 1 && y > 0 && y < h - 1) {
    int i = y * w + x;
    out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - w] + in[i + w]);
  }
}
//@ border_copy global=40,24 local=8,8 exact : f32[960] f32[960]
__kernel void border_copy(__global const float* in, __global float* out) {
  const size_t x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
  const size_t i = y * w + x;
  if (x == 0 || y == 0 || x == w - 1 || y == h - 1) {
    out[i] = in[i];
  } else {
    out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w]);
  }
}
//@ seven_point global=16,12,10 local=4,4,2 exact : f32[1920] f32[1920] i=16 i=12 i=10
__kernel void seven_point(__global const float* in, __global float* out, int nx, int ny, int nz) {
  int i = get_global_id(0), j = get_global_id(1), k = get_global_id(2);
  if (i < 1 || j < 1 || k < 1 || i >= nx - 1 || j >= ny - 1 || k >= nz - 1) return;
#define AT(x, y, z) ((x) + nx * ((y) + ny * (z)))
  out[AT(i, j, k)] = in[AT(i, j, k + 1)] + in[AT(i, j, k - 1)] + in[AT(i, j + 1, k)] + in[AT(i, j - 1, k)] +
                     in[AT(i + 1, j, k)] + in[AT(i - 1, j, k)] - 6 * in[AT(i, j, k)];
}
//@ blur_clamped global=40,24 local=8,4 exact : f32[960] f32[960] i=40 i=24 i=2
__kernel void blur_clamped(__global const float* in, __global float* out, int w, int h, int r) {
  int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int dy = -r; dy <= r; ++dy)
    for (int dx = -r; dx <= r; ++dx) {
      int cx = clamp(x + dx, 0, w - 1), cy = min(max(y + dy, 0), h - 1);
      sum += in[cy * w + cx];
    }
  out[y * w + x] = sum;
}
//@ convolve global=32,24 local=8,8 exact : f32[768] f32[768] f32[25] i=32 i=24 i=5
__kernel void convolve(__global const float* in, __global float* out, __constant float* mask, int w, int h, int m) {
  int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < m; ++i) {
      int sx = x + i - m / 2, sy = y + j - m / 2;
      if (sx >= 0 && sx < w && sy >= 0 && sy < h) sum += in[sy * w + sx] * mask[j * m + i];
    }
  out[y * w + x] = sum;
}
//@ linear_2d global=960 local=32 exact : f32[960] f32[960] i=40
__kernel void linear_2d(__global const float* in, __global float* out, int w) {
  int i = get_global_id(0);
  int x = i % w, y = i / w;
  out[y * w + x] = in[y * w + x] * 2 + x;
}
//@ linear_3d global=960 local=32 exact : f32[960] f32[960] u=8 u=10
__kernel void linear_3d(__global const float* in, __global float* out, uint w, uint h) {
  uint i = get_global_id(0);
  uint x = i % w, y = i / w % h, z = i / (w * h);
  out[(z * h + y) * w + x] = in[i] + x + 10 * y + 100 * z;
}
//@ jacobi1d global=128 local=16 exact : f32[128] f32[128]
__kernel void jacobi1d(__global const float* a, __global float* b) {
  int i = get_global_id(0), n = get_global_size(0);
  b[i] = i > 0 && i < n - 1 ? (a[i - 1] + a[i] + a[i + 1]) / 3 : a[i];
}
