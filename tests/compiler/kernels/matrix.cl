#define TILE 8
//@ matmul global=40,32 local=8,8 exact : f32[1280] f32[1600] f32[1280] i=40
__kernel void matmul(__global const float* A, __global const float* B, __global float* C, int n) {
  int col = get_global_id(0), row = get_global_id(1);
  float acc = 0;
  for (int k = 0; k < n; ++k) acc += A[row * n + k] * B[k * n + col];
  C[row * n + col] = acc;
}
//@ matmul_guarded global=48,40 local=8,8 exact : f32[1369] f32[1369] f32[1369] i=37
__kernel void matmul_guarded(__global const float* A, __global const float* B, __global float* C, int n) {
  int col = get_global_id(0), row = get_global_id(1);
  if (row >= n || col >= n) return;
  float acc = 0;
  for (int k = 0; k < n; k++) acc = mad(A[row * n + k], B[k * n + col], acc);
  C[row * n + col] = acc;
}
//@ matmul_tiled global=32,32 local=8,8 exact : f32[1024] f32[1024] f32[1024] i=32
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void matmul_tiled(__global const float* A, __global const float* B, __global float* C, int N) {
  __local float As[TILE][TILE], Bs[TILE][TILE];
  int tx = get_local_id(0), ty = get_local_id(1);
  int col = get_global_id(0), row = get_global_id(1);
  float acc = 0;
  for (int t = 0; t < N; t += TILE) {
    As[ty][tx] = A[row * N + t + tx];
    Bs[ty][tx] = B[(t + ty) * N + col];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE; ++k) acc += As[ty][k] * Bs[k][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  C[row * N + col] = acc;
}
//@ matmul_groups global=32,16 local=8,8 exact : f32[512] f32[384] f32[768] i=24 i=32 local=256 local=256
// The form of the vendors' samples: tiles found from group ids, local memory as an argument.
__kernel void matmul_groups(__global float* C, __global float* A, __global float* B, int uiWA, int uiWB,
                            __local float* As, __local float* Bs) {
  int bx = get_group_id(0), by = get_group_id(1);
  int tx = get_local_id(0), ty = get_local_id(1);
  int aBegin = uiWA * TILE * by;
  int aEnd = aBegin + uiWA - 1;
  int bBegin = TILE * bx;
  float Csub = 0.0f;
  for (int a = aBegin, b = bBegin; a <= aEnd; a += TILE, b += TILE * uiWB) {
    As[tx + ty * TILE] = A[a + uiWA * ty + tx];
    Bs[tx + ty * TILE] = B[b + uiWB * ty + tx];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE; ++k) Csub += As[k + ty * TILE] * Bs[tx + k * TILE];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  C[get_global_id(1) * get_global_size(0) + get_global_id(0)] = Csub;
}
//@ matvec global=64 local=8 exact : f32[3072] f32[48] f32[64] u=48 u=60
__kernel void matvec(__global const float* M, __global const float* V, __global float* W, uint width, uint height) {
  uint y = get_global_id(0);
  if (y < height) {
    const __global float* row = M + y * width;
    float dot = 0;
    for (uint x = 0; x < width; ++x) dot += row[x] * V[x];
    W[y] = dot;
  }
}
//@ matvec_group global=128 local=16 exact : f32[2000] f32[50] f32[40] u=50 u=40 local=64
// A work-group per row, in a stride over rows.
__kernel void matvec_group(__global const float* M, __global const float* V, __global float* W, uint width, uint height,
                           __local float* partial) {
  for (uint y = get_group_id(0); y < height; y += get_num_groups(0)) {
    const __global float* row = M + y * width;
    float sum = 0;
    for (uint x = get_local_id(0); x < width; x += get_local_size(0)) sum += row[x] * V[x];
    partial[get_local_id(0)] = sum;
    for (uint stride = get_local_size(0) / 2; stride > 0; stride /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (get_local_id(0) < stride) partial[get_local_id(0)] += partial[get_local_id(0) + stride];
    }
    if (get_local_id(0) == 0) W[y] = partial[0];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
//@ transpose global=40,24 local=8,8 exact : f32[960] f32[960] i=40 i=24
__kernel void transpose(__global float* out, __global const float* in, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < width && y < height) out[x * height + y] = in[y * width + x];
}
//@ transpose_tiled global=40,24 local=8,8 exact : f32[960] f32[960] i=0 i=40 i=24 local=288
//@ transpose_tiled global=40,24 local=8,8 exact : f32[777] f32[777] i=0 i=37 i=21 local=288
__kernel void transpose_tiled(__global float* odata, __global float* idata, int offset, int width, int height, __local float* block) {
  unsigned int xIndex = get_global_id(0);
  unsigned int yIndex = get_global_id(1);
  if ((xIndex + offset < width) && (yIndex < height)) {
    unsigned int index_in = yIndex * width + xIndex + offset;
    block[get_local_id(1) * (TILE + 1) + get_local_id(0)] = idata[index_in];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  xIndex = get_group_id(1) * TILE + get_local_id(0);
  yIndex = get_group_id(0) * TILE + get_local_id(1);
  if ((xIndex < height) && (yIndex + offset < width)) {
    unsigned int index_out = yIndex * height + xIndex;
    odata[index_out] = block[get_local_id(0) * (TILE + 1) + get_local_id(1)];
  }
}
//@ rows global=16 local=4 exact : i32[320] i32[320] i=20
__kernel void rows(__global const int* in, __global int* out, int width) {
  int row = get_global_id(0);
  for (int j = 0; j < width; ++j) out[row * width + j] = in[row * width + j] + row;
}
//@ columns global=20 local=4 exact : i32[320] i32[320] i=16 i=20
__kernel void columns(__global const int* in, __global int* out, int height, int width) {
  int column = get_global_id(0);
  __global int* p = out + column;
  for (int j = height; j > 0; j--) {
    *p = in[(height - j) * width + column];
    p += width;
  }
}
//@ triangle global=32 local=8 : i32[1024] i32[1024]
__kernel void triangle(__global const int* in, __global int* out) {
  int i = get_global_id(0), n = get_global_size(0);
  for (int j = i; j < n; ++j) out[i * n + j] = in[j * n + i];
}
