// SPDX-License-Identifier: Apache-2.0
// Results that OpenCL C leaves open: a division by zero, a quotient that does not fit, a
// conversion of a too large floating number. The program is correct, and they are some number. No device
// shows this well, since compilers for devices may fold them, too.
#include <algorithm>
#include <gtest/gtest.h>

#include "kernel_files.hpp"

namespace mkmd::compiler::test {
namespace {

// Of 64 work-items.
std::vector<Footprint> described(const std::string& body, int n = 0) {
  const std::string source = "__kernel void k(__global int* a, __global int* o, int n) {\n"
                             "  int t = get_global_id(0), v = 5;\n  " +
                             body + "\n}\n";
  Client client(MKMD_KC, "");
  const Result<Module> module = client.compile(request_for(source));
  EXPECT_TRUE(module.ok()) << module.status().message();
  if (!module) return {};
  const KernelInfo* kernel = find_kernel(*module, "k");
  Launch launch;
  launch.global = {64, 1, 1};
  launch.local = {8, 1, 1};
  set_scalars(*kernel, 2, &n, sizeof n, launch.scalars);
  return LaunchFootprints(*kernel, launch).of({{0, 0, 0}, {8, 1, 1}});
}

// 64 ints of each buffer may be written in any order, by whatever the text makes of `v`.
std::vector<Footprint> footprints(const std::string& makes_v) {
  return described(makes_v + "\n  a[v & 63] = 1;\n  o[t] = 2;");
}

const Footprint* of_argument(const std::vector<Footprint>& all, int argument) {
  const auto at = std::ranges::find(all, argument, &Footprint::argument);
  return at == all.end() ? nullptr : &*at;
}

class Unspecified : public testing::TestWithParam<const char*> {};

TEST_P(Unspecified, IsAnyNumberAndHidesNothing) {
  const std::vector<Footprint> all = footprints(GetParam());
  const Footprint* anywhere = of_argument(all, 0);
  ASSERT_NE(anywhere, nullptr);
  EXPECT_TRUE(anywhere->writes_unknown || anywhere->may_writes == ByteRanges(0, 256));
  EXPECT_TRUE(anywhere->sure_writes.empty());
  const Footprint* behind = of_argument(all, 1);
  ASSERT_NE(behind, nullptr);
  EXPECT_EQ(behind->may_writes, ByteRanges(0, 256));
}

INSTANTIATE_TEST_SUITE_P(
    Values, Unspecified,
    testing::Values("v = (int)1e20f;", "v = (int)(uint)-1.0f;", "if (n < 3) v = (int)-1e20f;",
                    "float f = 1e20f; v = f; v = v + 1;", "v = ((int4)(1, 2, (int)1e20f, 4)).z;",
                    "v = n / 0;", "v = (t & 0) / n;", "v = t % 0;", "v = n / n;", "v = t / n * n + t % n;",
                    "int d = 0; for (int j = 0; j < 1; ++j) d += j; v = t / d;",
                    "float f = 3.0f; v = as_int(1.0f / f) & 63;", "v = clamp(t, 5, n);",
                    "v = clamp(n, 6, 3);", "v = clamp(t, n, o[t]);",
                    "v = clamp((int2)(t, n), (int2)(9), (int2)(n, 20)).x;",
                    "int x = INT_MIN; if (n > 100) v = x / -1;", "int x = INT_MIN; v = x % -1;",
                    "long x = LONG_MIN; v = (int)(x / -1L);",
                    "int2 x = (int2)(INT_MIN, 3); v = (x / (int2)(-1, 3)).x;",
                    "int2 d = (int2)(0, 3); v = ((int2)(t, n) / d).x;"));

// Truth values that devices may compute otherwise than our compiler.
class FloatingTruth : public testing::TestWithParam<const char*> {};

TEST_P(FloatingTruth, IsUnknown) {
  const std::vector<Footprint> all = footprints(std::string("float f = 1e-40f, g = 0.1f; if (") + GetParam() +
                                                ") o[t + 64] = 1; else o[t + 128] = 1;");
  const Footprint* both = of_argument(all, 1);
  ASSERT_NE(both, nullptr);
  EXPECT_EQ(both->may_writes, ByteRanges(0, 768));
  EXPECT_EQ(both->sure_writes, ByteRanges(0, 256));
}

INSTANTIATE_TEST_SUITE_P(Values, FloatingTruth,
                         testing::Values("f * 1e30f * 1e11f > 0.5f", "f == 0", "g * 10.0f - 1.0f == 0",
                                         "__builtin_isnormal(f)", "((float2)(f, g) == (float2)(0)).x"));

// A compiler for devices may find that a number has no value. It need not store it then.
class Stored : public testing::TestWithParam<const char*> {
protected:
  static ByteRanges surely(const std::string& body, int n = 0) {
    const std::vector<Footprint> all = described(body, n);
    const Footprint* o = of_argument(all, 1);
    EXPECT_NE(o, nullptr);
    if (!o) return {};
    EXPECT_EQ(o->may_writes, ByteRanges(0, 256));
    return o->sure_writes;
  }
};
class StoredSurely : public Stored {};
class StoredPerhaps : public Stored {};
class StoredByArgument : public Stored {};

TEST_P(StoredSurely, WhereItHasAValue) {
  EXPECT_EQ(surely(GetParam()), ByteRanges(0, 256));
}
TEST_P(StoredPerhaps, WhereItMayHaveNone) {
  EXPECT_EQ(surely(GetParam()), ByteRanges());
}
TEST_P(StoredByArgument, WhereTheArgumentOfTheLaunchGivesItOne) {
  EXPECT_EQ(surely(GetParam(), 7), ByteRanges(0, 256));
  EXPECT_EQ(surely(GetParam(), 0), ByteRanges());
}

INSTANTIATE_TEST_SUITE_P(
    Values, StoredByArgument,
    testing::Values(
        "o[t] = a[t] / n;", "o[t] = t % n;", "o[t] = (uint)a[t] / (uint)n + t % 3;", "o[t] = a[t] % (n * 2);",
        "o[t] = a[t] / (short)n;", "o[t] = ((int2)(t, a[t]) / (int2)(n, 3)).y;", "o[t] = a[t] / (n + 3 - 3);",
        "o[t] = a[t] / (n * (int)get_local_size(0));",
        "int u[4]; for (int i = 0; i < 4; ++i) u[i] = t % n; o[t] = u[t & 3];",
        "o[t] = a[t] / n; o[t] = a[t] % n;", "int q = t / n; o[t] = q > 3 ? 4 : t;",
        "a[t + 64] = a[(t / n) & 63]; o[t] = 2;", "int u[2] = {3, 4}; a[t] = u[(t / n) & 1]; o[t] = 2;",
        "o[t] = a[(t / n) & 63];", "int4 w = (int4)(t, n, 3, 4); o[t] = w[(t / n) & 3];",
        "global int* p = a + ((t / n) & 63); if (p == a) a[t] = 2; o[t] = 2;",
        "vstore2((int2)(1), (t / n) & 7, a); o[t] = 2;",
        "float f = frexp((float)(a[t] / n), o + t); a[t] = f > 3;",
        "local int u[64]; u[get_local_id(0)] = 3; barrier(CLK_LOCAL_MEM_FENCE); o[t] = u[(t / n) & 7];",
        "local int u[64]; u[get_local_id(0)] = t % n; barrier(CLK_LOCAL_MEM_FENCE); o[t] = u[t & 7];",
        "if (t % n == 3) o[t] = 1; else o[t] = 2;", "if (t < 32) vstore2((int2)(t, t % n), t, o);",
        "int s = 0; for (int i = 0; i < 9 % n; ++i) s += i; o[t] = s;",
        "switch (t % n) { case 0: o[t] = 1; break; case 3: o[t] = 4; break; default: o[t] = n; }"));

// All behind a condition without a value may be dropped, whatever it decides.
INSTANTIATE_TEST_SUITE_P(
    Conditions, StoredPerhaps,
    testing::Values("if (a[t] % n == 3) a[t + 64] = 1; o[t] = 2;",
                    "o[t] = 2; if (a[t] / n == 3) a[t + 64] = 1;",
                    "int v2 = a[t] / n > 3 ? 5 : 6; a[t] = v2; o[t] = t;",
                    "for (int i = 0; i < a[t] / n; ++i) a[t] += i; o[t] = t;",
                    "if ((int)as_float(a[t]) > 3) a[t] = 5; o[t] = 2;",
                    "switch (a[t] / n) { case 0: a[t] = 1; break; case 3: a[t] = 4; } o[t] = 2;",
                    "if (a[t] == 3) { if (a[t + 64] % n == 3) a[t + 64] = 1; } o[t] = 2;"));
INSTANTIATE_TEST_SUITE_P(Conditions, StoredSurely,
                         testing::Values("if (a[t] % 3 == n) a[t + 64] = 1; o[t] = 2;",
                                         "if (as_float(a[t]) > 3) a[t] = 1; o[t] = t;",
                                         "for (int i = 0; i < a[t]; ++i) a[t + 64] += i; o[t] = t;",
                                         "while (a[t] > 3) a[t] -= 2; o[t] = t;",
                                         "if (isnan(as_float(a[t]))) a[t] = 1; o[t] = t;"));

INSTANTIATE_TEST_SUITE_P(
    Values, StoredPerhaps,
    testing::Values(
        "o[t] = (int)1e20f;", "o[t] = (int)(uint)-5.5f;", "o[t] = t + (int)NAN;", "o[t] = t / 0;",
        "o[t] = t % (n - n) + 1;", "int u; o[t] = u;", "int u; o[t] = u * 3 + t;",
        "o[t] = convert_int_sat_rte(1e20f);", "float f = log(-1.0f); o[t] = (int)f + 1;",
        "float f = 1e20f; for (int i = 0; i < 3; ++i) f *= 2; o[t] = (int)f;", "o[t] = (int)NAN > 3 ? t : n;",
        "o[t] = max(t, (int)1e20f);", "o[t] = as_int((short2)(t, (int)1e20f));",
        "o[t] = ((int2)(t, (int)1e20f)).y;", "vstore2((int2)(t, (int)1e20f), t / 2, o);",
        "int2 u; u.x = t; vstore2(u, t / 2, o);", "o[t] = n > 3 ? t : (int)-1e20f;",
        "int u[2]; for (int i = 0; i < 2; ++i) if (i == n) u[i] = t; o[t] = u[0] + u[1];",
        "int u[4]; for (int i = 0; i < 3; ++i) u[i] = t; o[t] = u[n & 3];",
        "int u[4]; for (int i = 0; i < n; ++i) u[i & 3] = t; o[t] = u[n & 3];",
        "int u[4]; for (int i = 0; i < 4; ++i) { if (a[i] > 3) break; u[i] = t; } o[t] = u[n & 3];",
        "int u[4]; for (int j = 0; j < n; ++j) for (int i = 0; i < 4; ++i) u[i] = j; o[t] = u[n & 3];",
        "int u[4]; for (int i = 0; i < 4; i += 2) u[i] = t; o[t] = u[n & 3];",
        "local int u[64]; o[t] = u[get_local_id(0)];",
        "int u; if (a[t] > 3) u = a[t + 1]; else u = (int)1e20f; o[t] = u;",
        // Compilers may know some bits of these, or all.
        "o[t] = a[t] / n;", "o[t] = (int)as_float(a[t]);", "o[t] = a[t] / clamp(a[t], 0, 0);",
        "o[t] = a[t] / min(max(a[t], 0), 0);", "uint z = a[t]; o[t] = a[t] / (int)((z >> 16) >> 16);",
        "o[t] = a[t] / ((a[t] * 2) & 1);", "o[t] = a[t] / (int)(get_work_dim() >> 4);",
        "o[t] = a[t] / (int)get_local_id(3);", "o[t] = a[t] / (int)get_global_offset(5);",
        "o[t] = a[t] % (int)(get_local_id(0) >> 7);", "o[t] = INT_MIN / (a[t] | -1);",
        "int d = 0; for (int i = 0; i < n; ++i) d *= a[i]; o[t] = a[t] / d;",
        "int d[4]; for (int i = 0; i < 4; ++i) d[i] = 0; o[t] = a[t] / d[2];",
        "if (a[t] == 0) o[t] = n / a[t]; else o[t] = 3;", "int d = a[t]; o[t] = d >= 0 ? t / d : t;",
        "int d = a[t]; o[t] = d != 0 ? n / d : t;", "o[t] = ((int2)(t, n) / (int2)(3, t)).x;",
        "float f = (a[t] & 1) ? 1e30f : 1e31f; o[t] = (int)f;", "o[t] = (int)(fabs((float)a[t]) + 1e30f);",
        "float f[4]; for (int i = 0; i < 4; ++i) f[i] = 1e30f; o[t] = (int)f[3];",
        "o[t] = convert_int(as_float(a[t]));", "o[t] = (uchar)clamp(NAN, 0.0f, 255.0f);",
        "o[t] = (uchar)fmin(as_float(a[t]), 255.0f);", "o[t] = (uchar)fmax(as_float(a[t]), 0.0f);",
        "o[t] = (uchar)(fmax(fmin(as_float(a[t]), 1.0f), 0.0f) * 256.0f);", "o[t] = (int)(float)(uint)a[t];",
        "o[t] = (uint)((float)(uchar)a[t] - 1.0f);",
        "o[t] = convert_uchar_rte(fmax(fmin(as_float(a[t]), 1.0f), 0.0f) * 255.5f);",
        "o[t] = (int)convert_float(a[t]);", "o[t] = (int)pow((float)a[t], 2.0f);",
        "float u; int e; u = frexp(u, &e); o[t] = e;", "int u; o[t] = get_global_size(u);",
        "int x[8]; o[t] = vload4(0, x).x;", "int x = t, y = n, *p[2] = {&x, &y}; o[t] = *p[n & 1];",
        "local int u[64]; int x; u[get_local_id(0)] = x; barrier(CLK_LOCAL_MEM_FENCE); o[t] = u[n & 63];",
        "typedef struct { int a, c, d, e; } S; local S u; if (n > 3) u.a = 3; S x = u; o[t] = x.d;",
        "typedef struct { int d[4]; } S; local S u; if (n > 3) u.d[0] = 3; S x = u; o[t] = x.d[n & 3];",
        "local int u[64]; u[0] = t; barrier(CLK_LOCAL_MEM_FENCE); o[t] = u[1];",
        "local int u[64]; u[n & 63] = a[t] / (a[t] & 0); barrier(CLK_LOCAL_MEM_FENCE); o[t] = u[n & 63];",
        // Of what is written to a variable, some has no value.
        "int4 w; w.x = a[t]; w.z = 3; int4 p[4]; for (int i = 0; i < 4; ++i) p[i] = w; o[t] = p[n & 3].y;",
        "int u, p[4] = {1, 2, 3, 4}; if (n > 3) p[n & 1] = u; o[t] = p[n & 3];",
        "int2 u; int p[4]; for (int i = 0; i < 4; ++i) p[i] = i; u.x = t; vstore2(u, n & 1, p); o[t] = p[n & "
        "3];"));
INSTANTIATE_TEST_SUITE_P(
    Values, StoredSurely,
    testing::Values(
        "o[t] = (int)7.5f;", "float f = 2.5f; o[t] = (int)(f * -3.0f);", "o[t] = a[t] / 3 + t % 7;",
        "o[t] = convert_int_sat(as_float(a[t]));", "o[t] = convert_int_sat(1e20f);",
        "o[t] = a[t] / ((n & 7) | 1) + (uint)a[t] / ((uint)n | 4);",
        "int d = a[t]; if (d > 0) o[t] = t / d; else o[t] = t;",
        "uint d = a[t]; if (d != 0) o[t] = (uint)n / d; else o[t] = t;", "o[t] = (short)a[t] / (n | 1);",
        "int d = a[t]; if (d != 0) o[t] = (char)n % d; else o[t] = t;",
        "for (int i = 1; i < 5; ++i) o[t] = a[t] / i;",
        "o[t] = (uchar)fmin(fmax(as_float(a[t]), 0.0f), 255.0f);",
        "o[t] = (uchar)(fmax(fmin(as_float(a[t]), 1.0f), 0.0f) * 255.0f + 0.5f);",
        "o[t] = convert_uchar_rte(fmax(fmin(as_float(a[t]), 1.0f), 0.0f) * 255.0f);",
        "o[t] = convert_uchar4(fmax(fmin(as_float4((int4)a[t]), 1.0f), 0.0f) * 255.0f).y;",
        "o[t] = (int)(0.299f * (uchar)a[t] + 0.587f * (uchar)n);",
        "o[t] = (int)clamp((float)t, 0.0f, 255.0f);", "o[t] = (int)floor((float)(short)a[t] * 0.5f);",
        "o[t] = (int)(n > 3 ? 3.5f : -(float)(uchar)a[t]);", "o[t] = convert_int(fabs((float)a[t] * 0.5f));",
        "float4 f = (float4)(1.0f, 1e20f, as_float(a[t]), 2.0f); o[t] = (int)f.x + (int)f.w;",
        "int4 w; w.x = a[t]; w.z = 3; int4 p[4]; for (int i = 0; i < 4; ++i) p[i] = w; o[t] = p[n & 3].z;",
        "o[t] = ((int2)(t, (int)1e20f)).x;", "o[t] = abs(-3) + (int)get_global_id(0);",
        "int2 u; u.y = n; u.x = t; o[t] = u.x + u.y;",
        "float s = 0; for (int i = 0; i < n; ++i) s += 1.5f; o[t] = s > 3 ? (int)3.5f : n;",
        "int u[2] = {t, n}; for (int i = 0; i < n; ++i) u[i & 1] = i; o[t] = u[0] + u[n & 1];",
        "int e; frexp(as_float(a[t]), &e); o[t] = e;",
        "local int u[64]; u[get_local_id(0)] = t; barrier(CLK_LOCAL_MEM_FENCE); o[t] = u[n & 63];",
        "constant int u[4] = {1, 2, 3, 4}; const int w[3] = {5, 6, 7}; o[t] = u[n & 3] + w[n & 1];",
        "local int2 u[64]; u[get_local_id(0)] = (int2)(t, n); barrier(CLK_LOCAL_MEM_FENCE); o[t] = u[n & "
        "63].y;",
        "local struct { char c; int d; } u[8]; u[get_local_id(0)].d = t; barrier(CLK_LOCAL_MEM_FENCE); o[t] "
        "= "
        "u[n & 7].d;",
        "local int u[64]; async_work_group_copy(u, a, 64, 0); barrier(CLK_LOCAL_MEM_FENCE); o[t] = u[n & "
        "63];",
        "int3 u = (int3)(t, n, 3); o[t] = u.x + u.z;",
        "int u[4]; for (int i = 0; i < 4; ++i) u[i] = t + i; o[t] = u[n & 3];",
        "int u[4]; for (int i = 3; i >= 0; --i) u[i] = t + i; o[t] = u[n & 3];",
        "int u[8]; for (int i = 0; i < 4; ++i) { u[2 * i] = t; u[2 * i + 1] = i; } o[t] = u[n & 7];",
        "int u[3][4]; for (int j = 0; j < 3; ++j) for (int i = 0; i < 4; ++i) u[j][i] = i; o[t] = u[n & 1][n "
        "& 3];",
        "int u[4], i = 0; do u[i] = t; while (++i < 4); for (i = 0; i < n; ++i) u[i & 3] += a[i]; o[t] = u[n "
        "& 3];",
        "struct { char c; int d[2]; } u[2]; for (int i = 0; i < 2; ++i) u[i].d[0] = u[i].d[1] = t; o[t] = "
        "u[n & 1].d[0];"));

}  // namespace
}  // namespace mkmd::compiler::test
