// SPDX-License-Identifier: Apache-2.0
// What mkmd-kc says about kernels that read and write images, without running them.
#include <algorithm>
#include <gtest/gtest.h>

#include "compiler/use.hpp"
#include "kernel_files.hpp"

namespace mkmd::compiler::test {
namespace {

Module compile_images(const std::string& source, const std::string& options = "",
                      const std::vector<std::string>& more_extensions = {}) {
  Client client(MKMD_KC, "");
  Request request = request_for(source, options);
  request.extensions.insert(request.extensions.end(), more_extensions.begin(), more_extensions.end());
  Result<Module> m = client.compile(request);
  EXPECT_TRUE(m.ok()) << m.status().message();
  return m.ok() ? *m : Module{};
}

TEST(Images, ImagesMayBeRead) {
  const Module module = compile_images(R"(
    __constant sampler_t outside = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    float pixel(__read_only image2d_t image, sampler_t s) {
      return read_imagef(image, s, (int2)(get_global_id(0), get_image_width(image) / 2)).x;
    }
    __kernel void reads(__read_only image2d_t image, sampler_t s, __global float* out) {
      out[get_global_id(0)] = pixel(image, s) + pixel(image, outside);
    }
    __kernel void scatters(__read_only image2d_t image, __global int* out) {
      out[read_imagei(image, outside, (int2)(get_global_id(0), 0)).x] = 1;
    })");
  const KernelInfo* reads = find_kernel(module, "reads");
  ASSERT_NE(reads, nullptr);
  EXPECT_TRUE(reads->split_allowed) << reads->reasons.at(0).text;
  ASSERT_EQ(reads->accesses.size(), 2U);
  EXPECT_EQ(reads->accesses[0].argument, 0);
  EXPECT_EQ(reads->accesses[0].kind, Access::Kind::read);
  EXPECT_EQ(reads->accesses[1].argument, 2);
  EXPECT_TRUE(reads->accesses[1].known && reads->accesses[1].sure);
  EXPECT_NE(module.sources.at(0).find("mkmd"), std::string::npos);
  const KernelInfo* scatters = find_kernel(module, "scatters");
  ASSERT_NE(scatters, nullptr);
  Launch launch;
  launch.work_dim = 1;
  launch.global = {64, 1, 1};
  launch.local = {8, 1, 1};
  const auto footprints = LaunchFootprints(*scatters, launch).of({{0, 0, 0}, {4, 1, 1}});
  const auto out = std::ranges::find(footprints, 1, &Footprint::argument);
  ASSERT_NE(out, footprints.end());
  EXPECT_TRUE(out->writes_unknown || !out->may_writes.empty());
  EXPECT_TRUE(out->sure_writes.empty());
}

// Halves of a launch of 64 x 8 work-items, in groups of 8, in an image of such a size. The image is argument
// 0.
Meeting halves_meet(const KernelInfo& k, const ImageExtent& extent) {
  Launch launch{2, {64, 8, 1}, {8, 1, 1}, {0, 0, 0}, {}};
  set_scalars(k, 0, extent.data(), sizeof extent, launch.scalars);
  const LaunchFootprints footprints(k, launch);
  const auto use = [&](const GroupBox& box) {
    const std::vector<Footprint> all = footprints.of(box);
    const auto image = std::ranges::find(all, 0, &Footprint::argument);
    return image == all.end() ? Use{} : use_of({{&*image, 0, extent[0] * extent[1] * extent[2]}});
  };
  return meeting(use({{0, 0, 0}, {8, 4, 1}}), use({{0, 4, 0}, {8, 8, 1}}));
}

TEST(Images, PixelsAreWrittenInsideTheImageOnly) {
  const Module module = compile_images(
      "kernel void at(write_only image2d_t m) {"
      "  write_imagef(m, (int2)(get_global_id(0), get_global_id(1)), (float4)(1)); }\n"
      "kernel void before(write_only image2d_t m) {"
      "  write_imagef(m, (int2)((int)get_global_id(0) - 1, get_global_id(1)), (float4)(1)); }\n"
      "kernel void guarded(write_only image2d_t m) {"
      "  int2 p = (int2)(get_global_id(0), get_global_id(1));"
      "  if (p.x < get_image_width(m) && p.y < get_image_height(m)) write_imagef(m, p, (float4)(1)); }\n");
  EXPECT_EQ(halves_meet(*find_kernel(module, "at"), {64, 8, 1}), Meeting::none);
  EXPECT_EQ(halves_meet(*find_kernel(module, "at"), {100, 10, 1}), Meeting::none);
  // Work-items beyond a row's end: what they write is not defined, and a driver may write the next row.
  EXPECT_EQ(halves_meet(*find_kernel(module, "at"), {63, 8, 1}), Meeting::conflict);
  EXPECT_EQ(halves_meet(*find_kernel(module, "at"), {64, 7, 1}), Meeting::conflict);
  EXPECT_EQ(halves_meet(*find_kernel(module, "before"), {64, 8, 1}), Meeting::conflict);
  EXPECT_EQ(halves_meet(*find_kernel(module, "guarded"), {63, 7, 1}), Meeting::none);
}

TEST(Images, AnImageThatIsReadAndWrittenIsNotDivided) {
  const Module module =
      compile_images("kernel void both(read_write image2d_t m) {"
                     "  int2 p = (int2)(get_global_id(0), get_global_id(1));"
                     "  write_imagef(m, p, read_imagef(m, p) + 1.0f); }\n"
                     "kernel void only(read_write image2d_t m) {"
                     "  write_imagef(m, (int2)(get_global_id(0), get_global_id(1)), (float4)(1)); }\n"
                     "kernel void other(write_only image2d_t m, read_write image2d_t n) {"
                     "  int2 p = (int2)(get_global_id(0), get_global_id(1));"
                     "  write_imagef(m, p, read_imagef(n, p)); }\n",
                     "-cl-std=CL2.0");
  EXPECT_EQ(halves_meet(*find_kernel(module, "both"), {64, 8, 1}), Meeting::conflict);
  EXPECT_EQ(halves_meet(*find_kernel(module, "only"), {64, 8, 1}), Meeting::none);
  EXPECT_EQ(halves_meet(*find_kernel(module, "other"), {64, 8, 1}), Meeting::none);
}

// Both arguments may be one image.
TEST(Images, ArgumentsThatLeadToOneImageMeet) {
  const Module module = compile_images("kernel void k(write_only image2d_t a, write_only image2d_t b) {"
                                       "  int x = get_global_id(0), y = get_global_id(1);"
                                       "  write_imagef(a, (int2)(x, y), (float4)(1));"
                                       "  write_imagef(b, (int2)(x, 7 - y), (float4)(1)); }");
  const KernelInfo& k = *find_kernel(module, "k");
  const ImageExtent extent = {64, 8, 1};
  Launch launch{2, {64, 8, 1}, {8, 1, 1}, {0, 0, 0}, {}};
  for (unsigned i = 0; i < 2; ++i)
    set_scalars(k, i, extent.data(), sizeof extent, launch.scalars);
  const LaunchFootprints footprints(k, launch);
  const std::vector<Footprint> low = footprints.of({{0, 0, 0}, {8, 4, 1}}),
                               high = footprints.of({{0, 4, 0}, {8, 8, 1}});
  ASSERT_EQ(low.size(), 2U);
  for (size_t i = 0; i < 2; ++i)
    EXPECT_EQ(meeting(use_of({{&low[i], 0, 512}}), use_of({{&high[i], 0, 512}})), Meeting::none);
  const auto both = [](const std::vector<Footprint>& f) {
    return use_of({{&f[0], 0, 512}, {&f[1], 0, 512}});
  };
  EXPECT_EQ(meeting(both(low), both(high)), Meeting::conflict);
}

TEST(Images, APixelIsSoManyBytes) {
  Footprint f;
  f.may_writes = ByteRanges(3, 9);
  f.sure_writes = ByteRanges(3, 8);
  f.reads_unknown = true;
  const Use use = use_of({{&f, 0, 160, 16}});
  EXPECT_EQ(use.writes, ByteRanges(48, 144));
  EXPECT_EQ(use.reads, ByteRanges(0, 160));
  f.reads_unknown = false;
  EXPECT_EQ(use_of({{&f, 0, 160, 16}}).needed, ByteRanges(128, 144));
  EXPECT_EQ(use_of({{&f, 0, 80, 16}}).writes, ByteRanges(48, 80)) << "what lies beyond the end";
}

TEST(Images, LevelsOfDetailRunWhole) {
  const Module module =
      compile_images("#pragma OPENCL EXTENSION cl_khr_mipmap_image_writes : enable\n"
                     "kernel void k(write_only image2d_t m) {"
                     "  write_imagef(m, (int2)(get_global_id(0), get_global_id(1)), 1, (float4)(1)); }",
                     "-cl-std=CL2.0", {"cl_khr_mipmap_image_writes"});
  const KernelInfo* k = find_kernel(module, "k");
  ASSERT_NE(k, nullptr);
  EXPECT_FALSE(k->split_allowed);
  EXPECT_EQ(k->reasons.at(0).text, "it is not known what 'write_imagef' does to an image");
  EXPECT_EQ(halves_meet(*k, {64, 8, 1}), Meeting::conflict);
}

}  // namespace
}  // namespace mkmd::compiler::test
