// SPDX-License-Identifier: Apache-2.0
// Which kernels make floating-point numbers of ids or sizes of the NDRange, as mkmd-kc says.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "kernel_files.hpp"

namespace mkmd::compiler::test {
namespace {

std::set<std::string> kernels_with(bool KernelInfo::*flag, const std::string& source) {
  Client client(MKMD_KC, "");
  const Result<Module> module = client.compile(request_for(source));
  EXPECT_TRUE(module.ok()) << module.status().message();
  std::set<std::string> names;
  if (!module) return names;
  for (const KernelInfo& k : module->kernels)
    if (k.*flag) names.insert(k.name);
  return names;
}

// An id in an address, or compared, is no floating-point number. One of constants that it chooses is.
TEST(KnownFloats, AreMadeOfIdsOrSizesOrChosenByThem) {
  const std::string source = R"(
    size_t groups(uint d) { return get_num_groups(d); }
    kernel void address(global const float* a, global float* o) {
      size_t i = get_global_id(0) + get_global_size(0) * get_global_id(1);
      o[i] = a[i] * 0.1f + a[i + 1];
    }
    kernel void stride(global const float* a, global float* o, int n) {
      float sum = 0;
      for (int i = get_global_id(0); i < n; i += get_global_size(0)) sum += a[i];
      o[get_global_id(0)] = sum;
    }
    kernel void border(global const float* a, global float* o) {
      int i = get_global_id(0);
      o[i] = i + 1 < (int)get_global_size(0) ? a[i + 1] : 0.0f;
    }
    kernel void pixel(read_only image2d_t a, sampler_t s, global float4* o) {
      o[get_global_id(0)] = read_imagef(a, s, (int2)(get_global_id(0), get_num_groups(0)));
    }
    kernel void id(global float* o) { o[get_global_id(0)] = (float)(get_global_id(0) & 7) * 0.1f; }
    kernel void choice(global float* o) {
      o[get_global_id(0)] *= (get_local_id(0) & 1) != 0 ? 0.1f : 0.3f;
    }
    kernel void kept(global float* o, int at) {
      int numbers[8];
      for (int k = 0; k < 8; ++k) numbers[k] = k + (int)get_group_id(0);
      o[get_global_id(0)] = numbers[at & 7] * 0.1f;
    }
    kernel void size(global float* o) { o[get_global_id(0)] = convert_float((int)groups(0) >> 20) + 2.1f; }
    kernel void least(global float* o, int d) {
      o[get_global_id(0)] = (float)(clamp(d, 0, (int)get_global_size(0) - 1) >> 17) + 2.1f;
    }
    kernel void few(global float* o) { o[get_global_id(0)] *= get_num_groups(0) <= 8192 ? 0.1f : 0.3f; })";
  EXPECT_EQ(kernels_with(&KernelInfo::ids_in_floats, source),
            (std::set<std::string>{"id", "choice", "kept", "size", "least", "few"}));
  EXPECT_EQ(kernels_with(&KernelInfo::sizes_in_floats, source),
            (std::set<std::string>{"size", "least", "few"}));
}

constexpr const char* kDecided = R"(
    constant float table[2] = {2.1f, 3.1f};
    kernel void in_table(global const float* a, global float* o) {
      o[get_global_id(0)] = table[get_num_groups(0) >> 16] * 0.1f + a[0];
    }
    kernel void in_array(global const float* a, global float* o) {
      float t[2] = {2.1f, 3.1f};
      o[get_global_id(0)] = t[get_global_size(0) & 1] * 0.1f + a[0];
    }
    kernel void in_local(global const float* a, global float* o) {
      local float t[32];
      t[get_local_id(0)] = a[0];
      t[16 + (get_num_groups(0) >> 16)] = 2.1f;
      barrier(CLK_LOCAL_MEM_FENCE);
      o[get_global_id(0)] = t[16] * 0.1f + a[0];
    }
    kernel void branch(global const float* a, global float* o) {
      float x = a[0];
      if (get_num_groups(0) != 0) x = 2.1f;
      o[get_global_id(0)] = x * 0.1f + a[0];
    }
    kernel void loop(global const float* a, global float* o) {
      float x = 0;
      for (size_t k = 0; k < get_global_size(0); ++k) x += 2.1f;
      o[get_global_id(0)] = x * 0.1f + a[0];
    }
    kernel void pointer(global const float* a, global float* o) {
      float u = 2.1f, v = a[0];
      float* p = get_num_groups(0) < 65536 ? &u : &v;
      o[get_global_id(0)] = *p * 0.1f + a[0];
    }
    kernel void byte(global const float* a, global float* o, uchar b) {
      float x = a[0];
      if (b < get_global_size(0)) x = 2.1f;
      o[get_global_id(0)] = x * 0.1f + a[0];
    }
    kernel void switched(global const float* a, global float* o) {
      float x = a[0];
      switch (get_num_groups(0)) { case 0: x = 2.1f; break; default: break; }
      o[get_global_id(0)] = x * 0.1f + a[0];
    }
    kernel void divided_twice(global const float* a, global float* o) {
      o[get_global_id(0)] = table[get_global_size(0) / 64 / 64] * 0.1f + a[0];
    }
    kernel void divided(global const float* a, global float* o, int n) {
      int warps = get_global_size(0) / 32;
      float sum = 0;
      for (int i = 0; i < n / warps; ++i) sum += a[i] * a[i];
      o[get_global_id(0)] = sum;
    }
    kernel void odd(global const float* a, global float* o, int n) {
      float x = a[0];
      if ((int)get_global_size(0) == 2 * n + 1) x = 2.1f;
      o[get_global_id(0)] = x * 0.1f + a[0];
    }
    kernel void same(global const float* a, global float* o, int n) {
      float x = a[0];
      if (n + (int)get_num_groups(0) == n) x = 2.1f;
      o[get_global_id(0)] = x * 0.1f + a[0];
    }
    kernel void in_place(global const float* a, global float* o, global float* w) {
      w[0] = 2.1f;
      w[get_num_groups(0)] = a[1];
      o[get_global_id(0)] = w[0] * 0.1f + a[0];
    }
    kernel void in_place_by_stride(global float* w, int n) {
      for (int i = get_global_id(0); i < n; i += get_global_size(0)) w[i] = w[i] * 0.1f + w[i + n];
    }
    kernel void pointers(global const float* a, global float* o) {
      float x = a[0];
      if (a + get_num_groups(0) == a) x = 2.1f;
      o[get_global_id(0)] = x * 0.1f + a[0];
    }
    kernel void far_away(global const float* a, global float* o, uint n) {
      float x = a[0];
      if (get_num_groups(0) > (ulong)n + 0x1000000UL) x = 2.1f;
      o[get_global_id(0)] = x * 0.1f + a[0];
    }
    kernel void copied(global const float* a, global float* o) {
      o[get_global_id(0)] = a[get_num_groups(0) >> 16];
    }
    kernel void wrapped(global const float* a, global float* o) {
      o[get_global_id(0)] = a[(get_global_id(0) + 1) % get_global_size(0)] * 0.1f + a[0];
    }
    kernel void last(global const float* a, global float* o, int n) {
      float x = a[0];
      if (get_group_id(0) + 1 == get_num_groups(0) && n < (int)get_global_size(0)) x = 2.1f;
      o[get_global_id(0)] = x * 0.1f + a[min(n, (int)get_global_size(0) - 1)];
    })";

// A compiler that decides which constant is read, or whether a loop ends, knows the number that follows.
TEST(KnownFloats, FollowFromWhatACompilerMayDecide) {
  EXPECT_EQ(kernels_with(&KernelInfo::sizes_in_floats, kDecided),
            (std::set<std::string>{"in_table", "in_array", "in_local", "branch", "loop", "pointer", "byte",
                                   "switched", "divided_twice", "divided", "odd", "same", "in_place",
                                   "pointers", "far_away"}));
}

// A loop that takes few steps may be unrolled where the steps are known to be long.
TEST(KnownFloats, AConstantMustBeFarFromTheGlobalSize) {
  Client client(MKMD_KC, "");
  const Result<Module> module = client.compile(request_for(R"(
    kernel void near(global const float* a, global float* o) {
      float sum = 0;
      for (int i = get_global_id(0); i < 10; i += get_global_size(0)) sum += a[i] * a[i];
      o[get_global_id(0)] = sum;
    }
    kernel void far(global const float* a, global float* o) {
      float sum = 0;
      for (int i = get_global_id(0); i < 1600; i += get_global_size(0)) sum += a[i] * a[i];
      o[get_global_id(0)] = sum;
    }
    kernel void any(global const float* a, global float* o, int n) {
      float sum = 0;
      for (int i = get_global_id(0); i < n; i += get_global_size(0)) sum += a[i] * a[i];
      o[get_global_id(0)] = sum;
    })"));
  ASSERT_TRUE(module.ok()) << module.status().message();
  ASSERT_EQ(module->kernels.size(), 3U);
  EXPECT_TRUE(module->kernels[0].sizes_in_floats);
  EXPECT_FALSE(module->kernels[1].sizes_in_floats);
  EXPECT_EQ(module->kernels[1].largest_local_size, 100U);
  EXPECT_FALSE(module->kernels[2].sizes_in_floats);
  EXPECT_EQ(module->kernels[2].largest_local_size, KernelInfo::kAnyLocalSize);
}

// Of ids, that follows from the local size.
TEST(KnownFloats, FollowFromPartsOfIds) {
  const std::string source = R"(
    kernel void in_array(global const float* a, global float* o) {
      const float t[4] = {2.1f, .3f, .7f, 1.9f};
      int i = get_global_id(0);
      o[i] = t[i & 3] * 0.1f + a[i];
    }
    kernel void branch(global const float* a, global float* o) {
      int i = get_global_id(0);
      float x = a[i];
      if (i % 8 != 0) x = 2.1f;
      o[i] = x * 0.1f + a[i];
    }
    kernel void loop(global const float* a, global float* o) {
      int i = get_global_id(0);
      float x = 2.1f;
      for (int k = 0; k < (i & 1); ++k) x += a[k];
      o[i] = x * 0.1f + a[i];
    }
    kernel void row(global const float* a, global float* o, int width) {
      int i = get_global_id(0);
      o[i] = a[i % width] * 0.1f + a[i / width];
    })";
  EXPECT_EQ(kernels_with(&KernelInfo::ids_in_floats, source),
            (std::set<std::string>{"in_array", "branch", "loop"}));
}

}  // namespace
}  // namespace mkmd::compiler::test
