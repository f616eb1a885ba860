// Programs whose text is hard to change: macros of every kind, functions that pass ids on, odd declarations.
#define GID(d) get_global_id(d)
#define FIRST GID(0)
#define CALL(f, x) f(x)
#define SPACE __global
#define PASTE(a, b) a##b
#define TEXT(x) #x
#define MANY(...) __VA_ARGS__

size_t here();
size_t here(void) { return FIRST; }
inline int twice(int x) { return 2 * x; }
int at(SPACE const int* p) { return p[here()]; }
int at_of(int k) { return (int)GID(1) * (int)get_global_size(0) + k; }
int along(uint d) { return (int)get_global_id(d); }
int __attribute__((overloadable)) here_and(int x) { return (int)here() + x; }
int __attribute__((overloadable)) here_and(float x) { return (int)here() + (int)x + 1; }

//@ macros_and_functions global=64 local=8 exact : i32[64] i32[64]
__kernel void macros_and_functions(SPACE const int* in, SPACE int* out) {
  out[CALL(twice, FIRST) / 2] = CALL(twice, at(in)) + (int)sizeof(TEXT(a b c)) + __LINE__;
}
//@ macros_in_arguments global=64 local=8 exact : i32[64] f32[64]
__kernel void macros_in_arguments(__global const int* in, __global float* out) {
  out[MANY(FIRST)] = as_float(as_int(as_float(at(in)))) + as_int(as_float(in[PASTE(FIR, ST)])) + M_PI_F;
}
//@ any_dimension global=16,12 local=4,4 : i32[192] i=1
__kernel void any_dimension(__global int* out, int d) {
  int x = along(0), y = along((uint)d);
  out[at_of((int)get_global_id(0))] = x + 100 * y + along(2) + (int)get_global_id((uint)(d + 1)) +
                                      (int)get_num_groups((uint)d) + (int)get_group_id((uint)(d * 1));
}
//@ odd_dimensions global=64 local=8 offset=64 exact : i32[128]
__kernel void odd_dimensions(__global int* out) {
  out[get_global_id(0)] = (int)(get_global_id(1) + get_global_id(2) + get_global_offset(0) + get_global_size(1) +
                                get_num_groups(2) + get_work_dim() + get_local_size(1));
}
//@ nested global=64 local=8 exact : i32[64]
__kernel void nested(__global int* out) {
  out[get_global_id(get_work_dim() * 0)] = here_and(here_and(3)) + here_and(2.5f);
}
//@ caller global=64 local=8 exact : i32[64] i32[64]
__kernel void called(__global const int* in, __global int* out) { out[here()] = at(in) + (int)get_group_id(0); }
__kernel void caller(__global const int* in, __global int* out) { called(in, out); }
//@ called global=64 local=8 exact : i32[64] i32[64]

// The name is a type's, a parameter's and a member's.
typedef struct { int get_global_id; } Holder;
//@ names global=64 local=8 exact : i32[64] i32[64]
__kernel void names(__global const Holder* in, __global Holder* out) {
  const Holder size_of = in[here()];
  out[here()].get_global_id = size_of.get_global_id + 1;
}
//@ no_arguments_used global=64 local=8 : i32[64]
__kernel void no_arguments_used(__global int* out) { (void)out; }

#undef INFINITY
#undef M_E_F
constant float M_E_F = 3.0f;
//@ undefined_names global=64 local=8 exact : f32[64]
__kernel void undefined_names(__global float* out) { out[FIRST] = M_E_F; }

//@ pragmas global=64 local=8 exact : f32[64] f32[64]
__kernel void pragmas(__global const float* in, __global float* out) {
#pragma OPENCL FP_CONTRACT OFF
#define TIMES 4
  float sum = 0;
#pragma unroll TIMES
  for (int i = 0; i < TIMES; ++i) sum += in[(FIRST + i) % 64] * in[FIRST] + i;
  out[FIRST] = sum;
}
//@ comma global=64 local=8 exact : i32[64]
__kernel void comma(__global int* out) {
  size_t i = (here(), FIRST), j = 0 ? here() : (size_t)(1 ? get_local_id(0) : FIRST);
  out[i] = j < 4 ? (int)get_global_size(0) : -(int)get_global_id(0);
}

// Words that are ours or OpenCL's mean something else here.
enum { get_num_groups_of = 2 };
constant float far = HUGE_VALF;
//@ names_of_types global=64 local=8 : i32[64] i=5
__kernel void names_of_types(__global int* out, int ulong) {
  struct get_group_id { int x; } s = {(int)FIRST};
  constant char text[] = "mkmd_";
  out[FIRST] = ulong + s.x + (int)sizeof(text) + (far > 3.0f) + get_num_groups_of;
}
//@ unevaluated global=64 local=8 exact : i32[64]
__kernel void unevaluated(__global int* out) {
  out[get_global_id(sizeof(get_group_id(0)) - 8)] = (int)(get_global_id(0 ? here() : 0) + sizeof(here()));
}
#define UNROLLED(n) _Pragma("unroll") for (int i = 0; i < n; ++i)
//@ pragma_operator global=64 local=8 exact : i32[64]
__kernel void pragma_operator(__global int* out) {
  int sum = 0;
  UNROLLED(4) sum += i * (int)FIRST;
  if (sum >= 0) _Pragma("unroll 3") for (int i = 0; i < 3; ++i) sum += __LINE__;
  out[FIRST] = sum;
}
//@ initialisers global=64 local=8 exact : i32[64]
__kernel void initialisers(__global int* out) {
  const struct { int a, b[2]; } s = {.b = {(int)here(), (int)FIRST}, .a = (int)get_num_groups(0)};
  const int more[4] = {(int)FIRST, [3] = (int)here()};
  const int4 v = (int4)((int)FIRST, (int)here(), (int2)((int)get_group_id(0)));
  out[FIRST] = s.a + s.b[0] + 3 * s.b[1] + 5 * more[0] + 7 * more[3] + v.x + 3 * v.y + 5 * v.w;
}

// Ids that the program makes an int of, the largest there may be among them.
//@ narrow_ids global=128 local=8 offset=2147483520 : i32[128]
__kernel void narrow_ids(__global int* out) {
  int i = get_global_id(0), j = (int)(get_global_id(0)) - 1;
  const uint u = get_global_id(0);
  const short s = (short)get_global_id(0);
  const uchar c = get_global_id(0);
  out[i - 2147483520] = (j < i) + (int)(u >> 3) + s + c + (int)(get_global_id(0) / 7) + (int)sizeof(get_global_id(0));
}
