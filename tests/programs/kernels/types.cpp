// SPDX-License-Identifier: Apache-2.0
// Kernel languages beyond int and float. Types are structs by value and in memory, vectors, char and short,
// long, double, half loads, and unions. There are constant buffers and program-scope constants, function
// calls, a kernel that calls a kernel, async copies, and math functions.
#include "program.h"

namespace {

struct Particle {
  cl_float position[3];
  cl_char tag;
  cl_short kind;
  cl_double mass;
};

constexpr const char* kSource = R"(
  #pragma OPENCL EXTENSION cl_khr_fp64 : enable
  typedef struct { float position[3]; char tag; short kind; double mass; } Particle;
  typedef struct { int a[4]; float scale; } Setup;
  __constant int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};

  __kernel void move_particles(__global Particle* p, Setup setup, __constant float* weights) {
    int i = get_global_id(0);
    Particle q = p[i];
    for (int k = 0; k < 60; ++k)
      for (int d = 0; d < 3; ++d) q.position[d] = q.position[d] * setup.scale + weights[(k + d) & 15];
    q.tag += (char)table[i & 7];
    q.kind ^= (short)setup.a[i & 3];
    q.mass = q.mass * 1.5 + (double)q.position[0];
    p[i] = q;
  }
  __kernel void vectors(__global const float4* in, __global float4* out, __global uchar16* bytes,
                        __global long* longs) {
    int i = get_global_id(0);
    float4 v = in[i];
    for (int k = 0; k < 60; ++k) v = v.wxyz * 0.5f + v * v * 0.125f;
    out[i] = v;
    bytes[i] = convert_uchar16_sat((int16)(i) * (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    longs[i] = (long)i * 0x123456789L ^ (long)as_int(v.x);
  }
  __kernel void halves(__global const half* in, __global half* out, __global short* shorts) {
    int i = get_global_id(0);
    float x = vload_half(i, in);
    for (int k = 0; k < 30; ++k) x = x * 0.9f + 0.05f;
    vstore_half(x, i, out);
    shorts[i] = (short)(x * 100.0f);
  }
  __kernel void math(__global const float* in, __global float* out) {
    int i = get_global_id(0);
    float x = in[i];
    out[i] = sin(x) * exp(x) + sqrt(fabs(x)) - pow(fabs(x) + 1.0f, 1.5f) + native_cos(x) + hypot(x, 2.0f);
  }
  __kernel void inner(__global int* data, int m) {
    int i = get_global_id(0);
    data[i] = data[i] * m + (int)get_local_id(0);
  }
  __kernel void outer(__global int* data) {
    for (int k = 1; k < 20; ++k) inner(data, k);
  }
  __kernel void async(__global const int* in, __global int* out, __local int* tile) {
    int size = get_local_size(0), first = get_group_id(0) * size;
    event_t e = async_work_group_copy(tile, in + first, size, 0);
    wait_group_events(1, &e);
    int x = tile[size - 1 - get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[get_local_id(0)] = x * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(out + first, tile, size, 0);
    wait_group_events(1, &e);
  })";

std::vector<Particle> some_particles(size_t count) {
  std::vector<Particle> particles(count);
  std::memset(particles.data(), 0, count * sizeof(Particle));
  for (size_t i = 0; i < count; ++i) {
    Particle& p = particles[i];
    p.position[0] = float(i % 17);
    p.position[1] = float(i % 5);
    p.tag = cl_char(i);
    p.kind = cl_short(i * 3);
    p.mass = double(i) * 0.25;
  }
  return particles;
}

void structs(const Cl& cl, cl_program program, size_t count) {
  struct {
    cl_int a[4];
    cl_float scale;
  } setup = {{11, 22, 33, 44}, 0.5f};
  const cl_mem p = buffer_of(cl, some_particles(count));
  const cl_mem weights = buffer_of(cl, noise<cl_float>(16, 1), CL_MEM_READ_ONLY);
  const cl_kernel move = kernel_of(program, "move_particles");
  set_args(move, p, setup, weights);
  for (int i = 0; i < 3; ++i)
    launch(cl, move, {count}, {50});
  const std::vector<Particle> moved = read<Particle>(cl, p, count);
  std::vector<cl_float> fields;  // padding has no defined value
  for (const Particle& q : moved)
    for (const double value :
         {double(q.position[0]), double(q.position[2]), double(q.tag), double(q.kind), q.mass})
      fields.push_back(cl_float(value));
  report("particles", fields);
}

void numbers(const Cl& cl, cl_program program, size_t count) {
  const cl_mem in = buffer_of(cl, noise<cl_float>(4 * count, 2));
  const cl_mem out = new_buffer(cl, 16 * count);
  const cl_mem bytes = new_buffer(cl, 16 * count);
  const cl_mem longs = new_buffer(cl, 8 * count);
  const cl_kernel vectors = kernel_of(program, "vectors");
  set_args(vectors, in, out, bytes, longs);
  launch(cl, vectors, {count}, {50});
  report<cl_float>(cl, "float4", out, 4 * count);
  report<cl_uchar>(cl, "uchar16", bytes, 16 * count);
  report<cl_long>(cl, "long", longs, count);

  std::vector<cl_half> half_values(count);
  for (size_t i = 0; i < count; ++i)
    half_values[i] = cl_half(0x3000 + i % 0x0c00);  // 0.125 to 1
  const cl_mem half_in = buffer_of(cl, half_values);
  const cl_kernel halves = kernel_of(program, "halves");
  set_args(halves, half_in, bytes, longs);
  launch(cl, halves, {count}, {50});
  report<cl_half>(cl, "half", bytes, count);
  report<cl_short>(cl, "short", longs, count);

  const cl_kernel math = kernel_of(program, "math");
  set_args(math, in, out);
  launch(cl, math, {count}, {50});
  report<cl_float>(cl, "math", out, count);
}

void calls(const Cl& cl, cl_program program, size_t count) {
  const cl_mem ints = buffer_of(cl, noise<cl_int>(count, 4));
  const cl_mem out = new_buffer(cl, 4 * count);
  const cl_kernel outer = kernel_of(program, "outer");
  set_args(outer, ints);
  launch(cl, outer, {count}, {50});
  report<cl_int>(cl, "kernel calls kernel", ints, count);
  const cl_kernel async = kernel_of(program, "async");
  set_args(async, ints, out, Local{50 * 4});
  launch(cl, async, {count}, {50});
  report<cl_int>(cl, "async copy", out, count);
}

}  // namespace

int main(int argc, char** argv) {
  const size_t count = size_argument(argc, argv, 40000);
  const Cl cl = open_cl();
  const cl_program program = build(cl, kSource);
  structs(cl, program, count);
  numbers(cl, program, count);
  calls(cl, program, count);
}
