// SPDX-License-Identifier: Apache-2.0
// Of which kernels a compiler may compute floating-point numbers with other last bits, as mkmd-kc says.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "kernel_files.hpp"

namespace mkmd::compiler::test {
namespace {

std::set<std::string> folded(const std::string& source, const std::string& options = "") {
  Client client(MKMD_KC, "");
  const Result<Module> module = client.compile(request_for(source, options));
  EXPECT_TRUE(module.ok()) << module.status().message();
  std::set<std::string> names;
  if (!module) return names;
  for (const KernelInfo& k : module->kernels)
    if (!k.folded.text.empty()) names.insert(k.name);
  return names;
}

TEST(FoldedProducts, BothFactorsAreConstantsOnSomePath) {
  EXPECT_EQ(folded(R"(
    constant float table[2] = {2.1f, 3.1f};
    kernel void chosen(global const float* a, global float* o, int n) {
      float x = a[0];
      if (n > (int)get_num_groups(0)) x = 2.1f;
      o[get_global_id(0)] = x * 0.1f + a[1];
    }
    kernel void chosen_of_two(global float* o, int n, float f) {
      o[0] = (n > 3 ? 2.1f : 3.1f) * (n > 5 ? 0.1f : f) + f;
    }
    kernel void carried(global const float* a, global float* o, int n) {
      float x = 2.1f;
      for (int k = 0; k < n; ++k) x = x * 0.1f + a[k];
      o[get_global_id(0)] = x;
    }
    kernel void in_table(global const float* a, global float* o) {
      o[get_global_id(0)] = table[get_num_groups(0) >> 16] * 0.1f + a[0];
    }
    kernel void in_array(global const float* a, global float* o, int n) {
      float t[2] = {2.1f, a[0]};
      o[get_global_id(0)] = t[n & 1] * 0.1f + a[0];
    }
    kernel void in_local(global const float* a, global float* o) {
      local float t[32];
      t[get_local_id(0)] = a[0];
      t[16 + (get_num_groups(0) >> 16)] = 2.1f;
      barrier(CLK_LOCAL_MEM_FENCE);
      o[get_global_id(0)] = t[16] * 0.1f + a[0];
    }
    kernel void in_buffer(global const float* a, global float* o, global float* w) {
      w[0] = 2.1f;
      w[get_num_groups(0)] = a[1];
      o[get_global_id(0)] = w[0] * 0.1f + a[0];
    }
    kernel void compared(global const float* a, global float* o, float f) {
      if (f == 2.1f) o[get_global_id(0)] = f * 0.1f + a[0];
    }
    kernel void fused_by_name(global const float* a, global float* o, int n) {
      o[get_global_id(0)] = mad(n > 3 ? a[0] : 2.1f, 0.1f, a[1]) + dot(a[0] > 0 ? (float2)(.3f, .7f) : a[1], (float2)(.1f, .3f));
    })"),
            (std::set<std::string>{"chosen", "chosen_of_two", "carried", "in_table", "in_array", "in_local",
                                   "in_buffer", "compared", "fused_by_name"}));
}

// Parts of sizes may be known.
TEST(FoldedProducts, IntegersBecomeFactors) {
  EXPECT_EQ(folded(R"(
    kernel void part_of_size(global const float* a, global float* o) {
      o[get_global_id(0)] = (get_num_groups(0) >> 16) * 0.1f + a[0];
    }
    kernel void no_such_dimension(global const float* a, global float* o) {
      o[get_global_id(0)] = (5 + get_global_id(3)) * 0.1f + a[0];
    }
    kernel void same_element(global const int* p, global const float* a, global float* o) {
      float x = (p[0] - p[get_num_groups(0) >> 20]) * 0.3f + 2.1f;
      o[get_global_id(0)] = x * 0.1f + a[0];
    })"),
            (std::set<std::string>{"part_of_size", "no_such_dimension", "same_element"}));
}

// As attacks found them.
TEST(FoldedProducts, ElementsFunctionsAndBitsGiveConstants) {
  EXPECT_EQ(folded(R"(
    kernel void merged_vectors(global const float* a, global float* o, int n) {
      float2 v = (float2)(a[0], a[1]);
      if (n > 3) v = (float2)(2.1f, a[2]);
      o[get_global_id(0)] = v.x * 0.1f + a[3];
    }
    kernel void any_element(global const float* a, global float* o, int n) {
      float4 v = (float4)(2.1f, 3.1f, a[0], a[1]);
      o[get_global_id(0)] = v[n & 3] * 0.1f + a[2];
    }
    kernel void stored_vector(global const float* a, global float* o, int n) {
      float t[4];
      vstore4((float4)(2.1f, 3.1f, a[0], a[1]), 0, t);
      o[get_global_id(0)] = t[n & 3] * 0.1f + a[2];
    }
    kernel void selected(global const float* a, global float* o, int n) {
      o[get_global_id(0)] = select(a[0], 2.1f, n) * 0.1f + a[1];
    }
    kernel void times_zero(global const int* p, global const float* a, global float* o, int n) {
      int z = n > 3 ? p[0] : 0;
      float x = p[1] * z + 2.1f;
      o[get_global_id(0)] = x * 0.1f + a[0];
    }
    kernel void bits_of_two(global const int* p, global const float* a, global float* o, int n) {
      int v = n > 3 ? p[0] : p[1] & 255;
      o[get_global_id(0)] = ((v >> 8) + 2.1f) * 0.1f + a[0];
    }
    kernel void by_sum(global const int* p, global const float* a, global float* o) {
      int k = p[0];
      if (k + 1 == 22) o[get_global_id(0)] = k * 0.1f + a[0];
    })"),
            (std::set<std::string>{"merged_vectors", "any_element", "stored_vector", "selected", "times_zero",
                                   "bits_of_two", "by_sum"}));
}

// Whatever is decided, these numbers are computed by devices, or by no device, or without rounding.
TEST(FoldedProducts, OthersMayDependOnIdsAndSizes) {
  EXPECT_EQ(folded(R"(
    kernel void constants(global const float* a, global float* o) {
      o[get_global_id(0)] = 2.1f * 0.1f + a[get_num_groups(0) >> 16];
    }
    kernel void stride(global const float* a, global float* o, int n) {
      float sum = 0;
      for (int i = get_global_id(0); i < n; i += get_global_size(0)) sum += a[i] * 0.1f;
      o[get_global_id(0)] = sum;
    }
    kernel void counted(global const float* a, global float* o) {
      float s = 0;
      for (int k = 0; k < 4; ++k) s += k * 0.1f + a[k];
      o[get_global_id(0)] = s;
    }
    kernel void products_alone(global float* o, int n) { o[get_global_id(0)] = (n > 3 ? 2.1f : 3.1f) * 0.1f; }
    kernel void sums_alone(global const float* a, global float* o) {
      float x = get_num_groups(0) < 65536 ? 2.1f : a[0];
      o[get_global_id(0)] = x + 0.1f - a[1];
    }
    kernel void exact_factors(global const float* a, global float* o, int n) {
      float s = n > 3 ? 0 : a[0], t = n > 5 ? .5f : a[1];
      for (int k = 0; k < n; ++k) s = s * 0.1f + a[k] + t * 0.3f * a[k];
      o[get_global_id(0)] = s;
    }
    kernel void squares(global float* o, int limit) {
      float cr = get_global_id(0) * 0.08f - 2.0f, ci = get_global_id(1) * 0.08f - 1.0f, zr = 0, zi = 0;
      int k = 0;
      for (; k < limit && zr * zr + zi * zi < 4; ++k) {
        float t = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = t;
      }
      o[get_global_id(0)] = k;
    }
    kernel void places(global const float* a, global float* o, float step) {
      int i = get_global_id(0), last = get_global_size(0) - 1;
      float left = i > 0 ? a[i - 1] : 0, right = i < last ? a[i + 1] : 0;
      o[i] = (left + right) * 0.1f + i * step + (i - 5) * 0.3f;
    }
    kernel void vectors(global const float4* a, global float* o) {
      float4 d = (float4)(a[0].xyz - a[1].xyz, 1);
      o[get_global_id(0)] = dot(d, d) + d.x * 0.1f;
    }
    kernel void kept(global const float* a, global float* o, int n) {
      float t[4];
      for (int k = 0; k < 4; ++k) t[k] = a[k] * 0.5f;
      o[get_global_id(0)] = t[n & 3] * 0.1f + exp(t[(n + 1) & 3]);
    })"),
            std::set<std::string>{});
}

// Inside they add products of their own. Numbers too large for an integer become any one.
TEST(FoldedProducts, FunctionsOfMathematicsAndLargeNumbers) {
  EXPECT_EQ(folded(R"(
    kernel void function(global const float* a, global float* o, int n) {
      o[get_global_id(0)] = sin(n > 3 ? a[0] : 2.1f);
    }
    kernel void function_of_two(global const float* a, global float* o) {
      for (int k = 0; k < 3; ++k) o[get_global_id(0)] += pow(a[k], (k & 1) * 0.1f);
    }
    kernel void function_of_constant(global float* o) { o[get_global_id(0)] *= sin(2.1f); }
    kernel void least(global const float* a, global float* o, int n) {
      float m = INFINITY;
      for (int k = 0; k < n; ++k) m = fmin(m, a[k]);
      o[get_global_id(0)] = m;
    }
    kernel void divided(global float* o, int n, float f) { o[get_global_id(0)] = (n > 3 ? 0 : f) / (n > 5 ? 0 : f); }
    kernel void divided_by_number(global float* o, int n, float f) { o[get_global_id(0)] = (n > 3 ? 0 : f) / 3; }
    kernel void infinite(global float* o, int n, float f) {
      o[get_global_id(0)] = (n > 3 ? INFINITY : f) - (n > 5 ? INFINITY : f);
    }
    kernel void too_large(global float* o) {
      float rest = (float)(get_num_groups(0) & 7);
      o[get_global_id(0)] = (int)(rest * 1e9f);
    }
    kernel void integers(global int* o) { o[get_global_id(0)] = get_global_id(0) % 8 * get_num_groups(0); })"),
            (std::set<std::string>{"function", "function_of_two", "too_large"}));
}

TEST(FoldedProducts, ZeroTimesANumberMayBeZeroByOption) {
  const std::string source = R"(
    kernel void k(global const float* a, global float* o, int n) {
      float x = (n > 3 ? 0 : a[0]) * a[1] + 2.1f;
      o[get_global_id(0)] = x * 0.1f + a[2];
    })";
  EXPECT_EQ(folded(source), std::set<std::string>{});
  EXPECT_EQ(folded(source, "-cl-finite-math-only -cl-no-signed-zeros"), std::set<std::string>{"k"});
}

// What is known of ids follows from it: a launch without one is left to the driver, or gets the driver's.
TEST(FoldedProducts, MayDependOnTheLocalSize) {
  Client client(MKMD_KC, "");
  const Result<Module> module = client.compile(request_for(R"(
    kernel void part(global const float* a, global float* o) {
      int i = get_global_id(0);
      o[i] = (i % 16) * 0.1f + a[i];
    }
    kernel void choice(global float* o, float f) {
      float x = (get_global_id(0) & 1) != 0 ? 2.1f : f;
      o[get_global_id(0)] = x * f + o[get_global_id(0)];
    }
    kernel void place(global const float* a, global float* o) {
      int i = get_global_id(0);
      o[i] = a[i % 16] * 0.1f + a[i];
    })"));
  ASSERT_TRUE(module.ok()) << module.status().message();
  const std::vector<KernelInfo>& kernels = module->kernels;
  EXPECT_EQ(kernels.at(0).folded.text + kernels.at(1).folded.text + kernels.at(2).folded.text, "");
  EXPECT_TRUE(kernels.at(0).uses_local_shape);
  EXPECT_FALSE(kernels.at(1).uses_local_shape);
  EXPECT_FALSE(kernels.at(2).uses_local_shape);
}

TEST(FoldedProducts, TheReasonNamesTheLine) {
  Client client(MKMD_KC, "");
  Result<Module> module =
      client.compile(request_for("kernel void k(global float* o, int n, float f) {\n  float x = n > 3 ? f : "
                                 "2.1f;\n  o[get_global_id(0)] = x * 0.1f + f;\n}\n"));
  ASSERT_TRUE(module.ok()) << module.status().message();
  KernelInfo& kernel = module->kernels.at(0);
  EXPECT_EQ(kernel.folded.line, 3);
  EXPECT_TRUE(kernel.split_allowed);
  keep_bits(kernel);
  EXPECT_FALSE(kernel.split_allowed);
  EXPECT_EQ(kernel.reasons.at(0).line, 3);
}

}  // namespace
}  // namespace mkmd::compiler::test
