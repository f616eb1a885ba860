// SPDX-License-Identifier: Apache-2.0
// The functions of OpenCL C that random kernels call, for the host. They give what the specification says, and touch
// memory as it says.
#define O __attribute__((overloadable))
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef unsigned long size_t;
void update_begins(void);
void update_ends(void);
long any_number(void) __attribute__((pure));

#define VECTORS(T)                                    \
  typedef T T##2 __attribute__((ext_vector_type(2))); \
  typedef T T##3 __attribute__((ext_vector_type(3))); \
  typedef T T##4 __attribute__((ext_vector_type(4))); \
  typedef T T##8 __attribute__((ext_vector_type(8)));
VECTORS(char)
VECTORS(uchar)
VECTORS(short)
VECTORS(ushort)
VECTORS(int)
VECTORS(uint)
VECTORS(long)
VECTORS(ulong)
VECTORS(float)

// U: the unsigned type of as many bits.
#define OF_ALL_WIDTHS(T, U, BITS)                                                            \
  T O min(T x, T y) { return y < x ? y : x; }                                                \
  T O max(T x, T y) { return x < y ? y : x; }                                                \
  T O clamp(T x, T lo, T hi) { return hi < lo ? (T)any_number() : min(max(x, lo), hi); }     \
  U O abs(T x) { return x < 0 ? (U)((U)0 - (U)x) : (U)x; }                                   \
  U O abs_diff(T x, T y) { return x < y ? (U)((U)y - (U)x) : (U)((U)x - (U)y); }             \
  T O hadd(T x, T y) { return (T)((x >> 1) + (y >> 1) + (x & y & 1)); }                      \
  T O rhadd(T x, T y) { return (T)((x >> 1) + (y >> 1) + ((x | y) & 1)); }                   \
  T O bitselect(T a, T b, T c) { return (T)((a & ~c) | (b & c)); }                           \
  T O rotate(T x, T y) {                                                                     \
    U by = (U)y & (BITS - 1), u = (U)x;                                                      \
    return (T)(by != 0 ? (U)(u << by) | (U)(u >> (BITS - by)) : u);                          \
  }                                                                                          \
  T O popcount(T x) {                                                                        \
    int n = 0;                                                                               \
    for (int k = 0; k < BITS; ++k) n += (int)(((U)x >> k) & 1);                              \
    return (T)n;                                                                             \
  }                                                                                          \
  T O clz(T x) {                                                                             \
    int n = 0;                                                                               \
    while (n < BITS && (((U)x >> (BITS - 1 - n)) & 1) == 0) ++n;                             \
    return (T)n;                                                                             \
  }                                                                                          \
  T##4 O min(T##4 x, T##4 y) { return (T##4)(min(x.x, y.x), min(x.y, y.y), min(x.z, y.z), min(x.w, y.w)); } \
  T##4 O max(T##4 x, T##4 y) { return (T##4)(max(x.x, y.x), max(x.y, y.y), max(x.z, y.z), max(x.w, y.w)); } \
  T##4 O clamp(T##4 x, T##4 l, T##4 h) {                                                     \
    return (T##4)(clamp(x.x, l.x, h.x), clamp(x.y, l.y, h.y), clamp(x.z, l.z, h.z), clamp(x.w, l.w, h.w)); \
  }                                                                                          \
  T##4 O popcount(T##4 x) { return (T##4)(popcount(x.x), popcount(x.y), popcount(x.z), popcount(x.w)); }
OF_ALL_WIDTHS(char, uchar, 8)
OF_ALL_WIDTHS(uchar, uchar, 8)
OF_ALL_WIDTHS(short, ushort, 16)
OF_ALL_WIDTHS(ushort, ushort, 16)
OF_ALL_WIDTHS(int, uint, 32)
OF_ALL_WIDTHS(uint, uint, 32)
OF_ALL_WIDTHS(long, ulong, 64)
OF_ALL_WIDTHS(ulong, ulong, 64)

// WIDE holds any product.
#define OF_SMALL_WIDTHS(T, WIDE, BITS, LEAST, MOST)                                          \
  T O mul_hi(T x, T y) { return (T)(((WIDE)x * (WIDE)y) >> BITS); }                          \
  T nearest_##T(long x) { return x < (LEAST) ? (T)(LEAST) : x > (MOST) ? (T)(MOST) : (T)x; } \
  T O add_sat(T x, T y) { return nearest_##T((long)x + (long)y); }                           \
  T O sub_sat(T x, T y) { return nearest_##T((long)x - (long)y); }                           \
  T O mad_sat(T x, T y, T z) { return nearest_##T((long)x * (long)y + (long)z); }            \
  T O convert_##T##_sat(char x) { return nearest_##T(x); }                                   \
  T O convert_##T##_sat(uchar x) { return nearest_##T(x); }                                  \
  T O convert_##T##_sat(short x) { return nearest_##T(x); }                                  \
  T O convert_##T##_sat(ushort x) { return nearest_##T(x); }                                 \
  T O convert_##T##_sat(int x) { return nearest_##T(x); }                                    \
  T O convert_##T##_sat(uint x) { return nearest_##T(x); }                                   \
  T O convert_##T##_sat(long x) { return nearest_##T(x); }
OF_SMALL_WIDTHS(char, int, 8, -128L, 127L)
OF_SMALL_WIDTHS(uchar, int, 8, 0L, 255L)
OF_SMALL_WIDTHS(short, int, 16, -32768L, 32767L)
OF_SMALL_WIDTHS(ushort, uint, 16, 0L, 65535L)
OF_SMALL_WIDTHS(int, long, 32, -2147483648L, 2147483647L)
OF_SMALL_WIDTHS(uint, ulong, 32, 0L, 4294967295L)

#define CONVERT(FROM)                                \
  char O convert_char(FROM x) { return (char)x; }    \
  uchar O convert_uchar(FROM x) { return (uchar)x; } \
  short O convert_short(FROM x) { return (short)x; } \
  ushort O convert_ushort(FROM x) { return (ushort)x; } \
  int O convert_int(FROM x) { return (int)x; }       \
  uint O convert_uint(FROM x) { return (uint)x; }    \
  long O convert_long(FROM x) { return (long)x; }    \
  ulong O convert_ulong(FROM x) { return (ulong)x; }
CONVERT(char)
CONVERT(uchar)
CONVERT(short)
CONVERT(ushort)
CONVERT(int)
CONVERT(uint)
CONVERT(long)
CONVERT(ulong)

int O select(int a, int b, int c) { return c != 0 ? b : a; }
int O mul24(int x, int y) { return (int)((uint)(x << 8 >> 8) * (uint)(y << 8 >> 8)); }
uint O mul24(uint x, uint y) { return (x & 0xffffff) * (y & 0xffffff); }
int O mad24(int x, int y, int z) { return (int)((uint)mul24(x, y) + (uint)z); }
uint O mad24(uint x, uint y, uint z) { return mul24(x, y) + z; }
short O upsample(char high, uchar low) { return (short)(((ushort)(uchar)high << 8) | low); }
ushort O upsample(uchar high, uchar low) { return (ushort)((high << 8) | low); }
int O upsample(short high, ushort low) { return (int)(((uint)(ushort)high << 16) | low); }
uint O upsample(ushort high, ushort low) { return ((uint)high << 16) | low; }

#define STORE(T, N)                                                                       \
  void O vstore##N(T##N v, size_t i, __global T* p) {                                     \
    for (int k = 0; k < N; ++k) p[i * N + k] = ((__private T*)&v)[k];                     \
  }
#define STORES(T) STORE(T, 2) STORE(T, 3) STORE(T, 4) STORE(T, 8)
STORES(char)
STORES(uchar)
STORES(short)
STORES(ushort)
STORES(int)
STORES(uint)
STORES(long)
STORES(ulong)

// A half is any number of two bytes here.
float O vload_half(size_t i, const __global half* p) { return ((const __global ushort*)p)[i]; }
void O vstore_half(float v, size_t i, __global half* p) { ((__global ushort*)p)[i] = (ushort)(int)v; }
// STEP: elements from one vector to the next.
#define HALF(N, ALIGNED, STEP)                                                              \
  float##N O vload##ALIGNED##_half##N(size_t i, const __global half* p) {                   \
    float##N v = 0;                                                                         \
    for (int k = 0; k < N; ++k)                                                             \
      ((__private float*)&v)[k] = ((const __global ushort*)p)[i * STEP + k];                \
    return v;                                                                               \
  }                                                                                         \
  void O vstore##ALIGNED##_half##N(float##N v, size_t i, __global half* p) {                \
    for (int k = 0; k < N; ++k)                                                             \
      ((__global ushort*)p)[i * STEP + k] = (ushort)(int)((__private float*)&v)[k];         \
  }
HALF(2, , 2)
HALF(3, , 3)
HALF(4, , 4)
HALF(8, , 8)
HALF(2, a, 2)
HALF(3, a, 4)
HALF(4, a, 4)
HALF(8, a, 8)

#define ATOMIC(T, NAME, NEXT)                               \
  T O atomic_##NAME(volatile __global T* p, T v) {          \
    update_begins();                                        \
    const T old = *p;                                       \
    *p = (T)(NEXT);                                         \
    update_ends();                                          \
    return old;                                             \
  }
#define ATOMIC_ONE(T, NAME, NEXT)                           \
  T O atomic_##NAME(volatile __global T* p) {               \
    update_begins();                                        \
    const T old = *p;                                       \
    *p = (T)(NEXT);                                         \
    update_ends();                                          \
    return old;                                             \
  }
#define ATOMICS(T)                     \
  ATOMIC(T, add, (uint)old + (uint)v)  \
  ATOMIC(T, sub, (uint)old - (uint)v)  \
  ATOMIC(T, or, old | v)               \
  ATOMIC(T, and, old & v)              \
  ATOMIC(T, xor, old ^ v)              \
  ATOMIC(T, min, old < v ? old : v)    \
  ATOMIC(T, max, old > v ? old : v)    \
  ATOMIC_ONE(T, inc, (uint)old + 1)    \
  ATOMIC_ONE(T, dec, (uint)old - 1)
ATOMICS(int)
ATOMICS(uint)
