// SPDX-License-Identifier: Apache-2.0
// Results that OpenCL C leaves open: a division by zero, a quotient that does not fit, a
// conversion of a too large floating number. The program is correct, and they are some number. No device
// shows this well, since compilers for devices may fold them, too.
#include <algorithm>
#include <gtest/gtest.h>

#include "kernel_files.hpp"

namespace mkmd::compiler::test {
namespace {

// 64 ints of each buffer may be written in any order, by whatever the text makes of `v`.
std::vector<Footprint> footprints(const std::string& makes_v) {
  const std::string source = "__kernel void k(__global int* a, __global int* o, int n) {\n"
                             "  int t = get_global_id(0), v = 5;\n  " +
                             makes_v + "\n  a[v & 63] = 1;\n  o[t] = 2;\n}\n";
  Client client(MKMD_KC, "");
  const Result<Module> module = client.compile(request_for(source));
  EXPECT_TRUE(module.ok()) << module.status().message();
  if (!module) return {};
  const KernelInfo* kernel = find_kernel(*module, "k");
  Launch launch;
  launch.global = {64, 1, 1};
  launch.local = {8, 1, 1};
  const int zero = 0;
  set_scalars(*kernel, 2, &zero, sizeof zero, launch.scalars);
  return LaunchFootprints(*kernel, launch).of({{0, 0, 0}, {8, 1, 1}});
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
  EXPECT_EQ(behind->sure_writes, ByteRanges(0, 256));
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

}  // namespace
}  // namespace mkmd::compiler::test
