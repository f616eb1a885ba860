// SPDX-License-Identifier: Apache-2.0
// The building blocks of the equations, in the style of the vendors' samples. Matrices are dense, square,
// row-major. Every kernel is guarded, so the global size may be rounded up to whole work-groups.

#define TILE 16
#define GROUP 64  // work-group size of the vector kernels

// c = a * b, tiles of both operands staged in local memory; NDRange (columns, rows), groups TILE x TILE.
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void
matrix_multiply(__global const float* a, __global const float* b, __global float* c, int n) {
  __local float a_tile[TILE][TILE];
  __local float b_tile[TILE][TILE];
  const int tx = get_local_id(0);
  const int ty = get_local_id(1);
  const int column = get_global_id(0);
  const int row = get_global_id(1);
  float sum = 0.0f;
  for (int k = 0; k < n; k += TILE) {
    a_tile[ty][tx] = row < n && k + tx < n ? a[row * n + k + tx] : 0.0f;
    b_tile[ty][tx] = column < n && k + ty < n ? b[(k + ty) * n + column] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < TILE; ++i)
      sum += a_tile[ty][i] * b_tile[i][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row < n && column < n)
    c[row * n + column] = sum;
}

// out = in^T; NDRange (columns, rows) of the input. The tile is padded against bank conflicts.
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void
matrix_transpose(__global const float* in, __global float* out, int n) {
  __local float tile[TILE][TILE + 1];
  int column = get_global_id(0);
  int row = get_global_id(1);
  if (row < n && column < n)
    tile[get_local_id(1)][get_local_id(0)] = in[row * n + column];
  barrier(CLK_LOCAL_MEM_FENCE);
  column = get_group_id(1) * TILE + get_local_id(0);
  row = get_group_id(0) * TILE + get_local_id(1);
  if (row < n && column < n)
    out[row * n + column] = tile[get_local_id(0)][get_local_id(1)];
}

// Element by element, for matrices (n = rows * columns) and vectors alike.
__kernel void add(__global const float* a, __global const float* b, __global float* c, int n) {
  const int i = get_global_id(0);
  if (i < n)
    c[i] = a[i] + b[i];
}

__kernel void subtract(__global const float* a, __global const float* b, __global float* c, int n) {
  const int i = get_global_id(0);
  if (i < n)
    c[i] = a[i] - b[i];
}

// y = a * x, one row per work-item.
__kernel void matrix_vector(__global const float* a, __global const float* x, __global float* y, int n) {
  const int row = get_global_id(0);
  if (row < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * x[k];
    y[row] = sum;
  }
}

// BiCGSTAB keeps its scalars in device memory: the host never waits inside an iteration.

// Where the method begins: x = 0, so that the residual is b, and no direction yet.
__kernel void begin_vectors(__global const float* b, __global float* r, __global float* x, __global float* p,
                            __global float* v, int n) {
  const int i = get_global_id(0);
  if (i < n) {
    r[i] = b[i];
    x[i] = p[i] = v[i] = 0.0f;
  }
}

__kernel void begin_scalars(__global float* rho, __global float* alpha, __global float* omega) {
  rho[0] = alpha[0] = omega[0] = 1.0f;
}

// result = x - s * y
__kernel void minus_scaled(__global const float* x, __global const float* s, __global const float* y,
                           __global float* result, int n) {
  const int i = get_global_id(0);
  if (i < n)
    result[i] = x[i] - s[0] * y[i];
}

// p = r + beta * (p - omega * v)
__kernel void update_direction(__global const float* r, __global const float* beta,
                               __global const float* omega, __global const float* v, __global float* p,
                               int n) {
  const int i = get_global_id(0);
  if (i < n)
    p[i] = r[i] + beta[0] * (p[i] - omega[0] * v[i]);
}

// x = x + alpha * p + omega * s
__kernel void update_solution(__global float* x, __global const float* alpha, __global const float* p,
                              __global const float* omega, __global const float* s, int n) {
  const int i = get_global_id(0);
  if (i < n)
    x[i] += alpha[0] * p[i] + omega[0] * s[i];
}

// partial[g] = sum of a[i] * b[i] over work-group g.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
dot_partial(__global const float* a, __global const float* b, __global float* partial, int n) {
  __local float sums[GROUP];
  const int i = get_global_id(0);
  const int lane = get_local_id(0);
  sums[lane] = i < n ? a[i] * b[i] : 0.0f;
  for (int half_size = GROUP / 2; half_size > 0; half_size /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < half_size)
      sums[lane] += sums[lane + half_size];
  }
  if (lane == 0)
    partial[get_group_id(0)] = sums[0];
}

// The rest of a dot product, and the scalar made from it, are the work of a single work-item.
float sum_of(__global const float* partial, int groups) {
  float sum = 0.0f;
  for (int g = 0; g < groups; ++g)
    sum += partial[g];
  return sum;
}

// A converged iteration divides by nothing: then the step is zero and the solution stays.
float ratio(float numerator, float denominator) {
  return fabs(denominator) > 1e-30f ? numerator / denominator : 0.0f;
}

__kernel void make_beta(__global const float* partial, int groups, __global float* rho,
                        __global const float* alpha, __global const float* omega, __global float* beta) {
  const float rho_next = sum_of(partial, groups);
  beta[0] = ratio(rho_next, rho[0]) * ratio(alpha[0], omega[0]);
  rho[0] = rho_next;
}

__kernel void make_alpha(__global const float* partial, int groups, __global const float* rho,
                         __global float* alpha) {
  alpha[0] = ratio(rho[0], sum_of(partial, groups));
}

__kernel void make_omega(__global const float* partial_ts, __global const float* partial_tt, int groups,
                         __global float* omega) {
  omega[0] = ratio(sum_of(partial_ts, groups), sum_of(partial_tt, groups));
}
