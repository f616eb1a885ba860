// SPDX-License-Identifier: Apache-2.0
// Which kernels make floating-point numbers of ids or sizes of the NDRange, as mkmd-kc says.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "kernel_files.hpp"

namespace mkmd::compiler::test {
namespace {

// An id in an address, or compared, is no floating-point number. One of constants that it chooses is.
TEST(KnownFloats, AreMadeOfIdsOrSizesOrChosenByThem) {
  Client client(MKMD_KC, "");
  const Result<Module> module = client.compile(request_for(R"(
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
    kernel void few(global float* o) { o[get_global_id(0)] *= get_num_groups(0) <= 8192 ? 0.1f : 0.3f; })"));
  ASSERT_TRUE(module.ok()) << module.status().message();

  std::set<std::string> ids, sizes;
  for (const KernelInfo& k : module->kernels) {
    if (k.ids_in_floats) ids.insert(k.name);
    if (k.sizes_in_floats) sizes.insert(k.name);
  }
  EXPECT_EQ(ids, (std::set<std::string>{"id", "choice", "kept", "size", "least", "few"}));
  EXPECT_EQ(sizes, (std::set<std::string>{"size", "least", "few"}));
}

}  // namespace
}  // namespace mkmd::compiler::test
