// SPDX-License-Identifier: Apache-2.0
// Which kernels may end only once another command has changed memory. Each text is the body of a kernel.
#include <gtest/gtest.h>

#include "kernel_files.hpp"

namespace mkmd::compiler::test {
namespace {

// It has buffers of ints (a, and v, which is volatile) and of floats (f), and a number n.
const KernelInfo* kernel_with(const std::string& body, Result<Module>& module) {
  const std::string source =
      "uint recurse(volatile __global int* v, uint n) { return v[n] != 0 ? recurse(v, n - 1) : n; }\n"
      "__kernel void k(__global int* a, __global volatile int* v, __global float* f, int n,\n"
      "                __global int* o) {\n"
      "  int t = get_global_id(0);\n  __local int l[4];\n  " +
      body + "\n  o[t] = t;\n}\n";
  Client client(MKMD_KC, "");
  module = client.compile(request_for(source));
  EXPECT_TRUE(module.ok()) << module.status().message();
  return module ? find_kernel(*module, "k") : nullptr;
}

class Waits : public testing::TestWithParam<const char*> {};
class Ends : public testing::TestWithParam<const char*> {};

TEST_P(Waits, MayWaitAndIsNotSplit) {
  Result<Module> module{Status::internal("")};
  const KernelInfo* kernel = kernel_with(GetParam(), module);
  ASSERT_NE(kernel, nullptr);
  EXPECT_TRUE(kernel->may_wait);
  EXPECT_FALSE(kernel->split_allowed);
}

TEST_P(Ends, WhateverOthersDo) {
  Result<Module> module{Status::internal("")};
  const KernelInfo* kernel = kernel_with(GetParam(), module);
  ASSERT_NE(kernel, nullptr);
  EXPECT_FALSE(kernel->may_wait);
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, Waits,
    testing::Values("while (v[0] == 0);", "if (t == 3) while (v[n] < n) n = n * 3;",
                    "while (atomic_or(&a[0], 0) == 0);", "while (atomic_add(&v[0], 0) != 7);",
                    "while (atomic_cmpxchg(&a[0], 0, 1) != 0);", "while (atomic_xchg(&a[0], 1) != 0);",
                    "while (atomic_dec(&a[0]) <= 0) atomic_inc(&a[0]);",
                    "while (a[0] == 0) mem_fence(CLK_GLOBAL_MEM_FENCE);",
                    "while (*(n > 3 ? &a[0] : &o[0]) == 0);", "while ((n > 3 ? a[0] : o[0]) == 0);",
                    "int i = 0; do { i = (i + 1) % n; } while (v[i] == 0);",
                    "bool done = false; while (!done) { if (v[0] != 0) done = true; else f[t] += 1.0f; }",
                    "for (int i = 0; i < n && v[0] == 0; ++i);",
                    "int old = v[0], now; do { now = v[0]; } while (now == old);",
                    "for (;;) { if (get_local_id(0) == 0) l[0] = v[0]; barrier(CLK_LOCAL_MEM_FENCE);\n"
                    "  if (l[0] != 0) break; barrier(CLK_LOCAL_MEM_FENCE); }",
                    "for (;;) { if (get_local_id(0) == 0) { l[0] = 0; if (v[0] != 0) l[0] = 1; }\n"
                    "  barrier(CLK_LOCAL_MEM_FENCE); if (l[0] != 0) break; barrier(CLK_LOCAL_MEM_FENCE); }",
                    "for (int i = 0; i < n; ++i) { while (v[i] != i); f[i] += 1.0f; }",
                    "int i = 0; again: if (i < n) goto in; out: if (v[0] == 0) goto again; goto end;\n"
                    "  in: i = i + 1; if (v[1] == 0) goto out; goto in; end:;",
                    "n = recurse(v, n);"));

INSTANTIATE_TEST_SUITE_P(
    Kernels, Ends,
    testing::Values(
        "", "for (int i = 0; i < n; ++i) f[t] += i;", "for (int i = a[t]; i < a[t + 1]; ++i) f[i] += 1.0f;",
        "for (int i = 0; i < n; ++i) if (atomic_inc(&a[0]) < n) f[i] = t;",
        "int s = 0; for (int i = 0; i < n; ++i) s += v[i]; f[t] = s;", "if (v[0] == 0) f[t] = 1.0f;",
        "while (atomic_inc(&a[0]) < n) f[t] += 1.0f;", "for (int i = a[0]; i != -1; i = a[i]) f[i] += 1.0f;",
        "int old = a[0], now; while ((now = atomic_cmpxchg(&a[0], old, old + t)) != old) old = now;",
        "int lo = 0, hi = n; while (lo < hi) { int m = (lo + hi) / 2; if (a[m] < t) lo = m + 1; else hi = m; "
        "}",
        "float x = f[t]; while (x > 0.1f) x = x * f[0];",
        "for (int s = 2; s > 0; s >>= 1) { barrier(CLK_LOCAL_MEM_FENCE); l[0] += l[s]; }",
        "l[0] = 1; while (l[0] < n) l[0] = l[0] * 2 + a[t];"));

}  // namespace
}  // namespace mkmd::compiler::test
