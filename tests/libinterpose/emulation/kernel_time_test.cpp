// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/emulation/kernel_time.hpp"

#include <gtest/gtest.h>

namespace mkmd::emulation {
namespace {

// The counts our compiler gives for the kernels of bench/apps at side n.
KernelCounts multiply(double n) {
  return {"matrix_multiply", n * n, n, n * n * (7.625 * n + 7), 12 * n * n, true};
}
KernelCounts transpose(double n) {
  return {"matrix_transpose", n * n, 0, 23 * n * n, 8 * n * n, true};
}
KernelCounts matrix_vector(double n) {
  return {"matrix_vector", n, n, 8 * n * n, 4 * n * n + 8 * n, false};
}
KernelCounts add(double elements) {
  return {"add", elements, 0, 6 * elements, 12 * elements, false};
}

// Table 2 of the MKMD paper as simulated: seconds at N = 4096 on the CPU and the two GPUs, without launch
// overhead.
TEST(KernelTime, IsThatOfTheFullSizeForEveryKind) {
  const auto p = read_platform(std::string(MKMD_PLATFORMS) + "/mkmd-table2.json");
  ASSERT_TRUE(p) << p.status().message();
  const double n = p->size_scale.side();
  const struct {
    KernelCounts counts;
    double seconds[3];
  } kCases[] = {
      {multiply(n), {2.74877906944, 0.68719476736, 0.7469508340869565}},
      {transpose(n), {0.02236962133, 0.00167772160, 0.00279620267}},
      {matrix_vector(n), {0.00746018133, 0.00111902720, 0.00167854080}},
      {add(n * n), {0.02236962133, 0.00154866609, 0.00305040291}},
      {add(n), {5.461333e-6, 0.3780923e-6, 0.744727e-6}},
  };
  for (const auto& c : kCases) {
    for (size_t d = 0; d < 3; ++d) {
      const double seconds = kernel_cost(*p, p->devices[d], c.counts).seconds;
      EXPECT_NEAR(seconds / c.seconds[d], 1, 0.005) << c.counts.name << " on " << p->devices[d].name;
    }
  }
}

TEST(KernelTime, ExponentsFollowTheSide) {
  const SizeScale scale{4096, 8};
  EXPECT_EQ(exponent_of(scale, 1), 0);
  EXPECT_EQ(exponent_of(scale, 8), 0);
  EXPECT_EQ(exponent_of(scale, 512), 1);
  EXPECT_EQ(exponent_of(scale, 512.0 * 512), 2);
  EXPECT_EQ(exponent_of(scale, 512.0 * 512 * 512), 3);
  EXPECT_EQ(exponent_of({}, 512), 0);
  // A slice of a matrix grows as the matrix does.
  EXPECT_DOUBLE_EQ(full_bytes(scale, 4096, 512 * 512 * 4), 4096 * 64);
}

TEST(KernelTime, TheFileMayOverruleTheRule) {
  PlatformFile p;
  p.size_scale = {100, 10};
  p.kernels = {{"fast_*", 1, "bytes"}};
  const platform::Device device{.name = "d", .rates = {1, 100, 1, 1}};
  KernelCounts counts{"fast_one", 100, 0, 1000, 100, false};
  EXPECT_DOUBLE_EQ(kernel_cost(p, device, counts).seconds, 10);
  counts.name = "slow_one";
  EXPECT_DOUBLE_EQ(kernel_cost(p, device, counts).seconds, 100000) << "1000 operations, times 10 squared";
}

}  // namespace
}  // namespace mkmd::emulation
