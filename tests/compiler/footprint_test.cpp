// SPDX-License-Identifier: Apache-2.0
// Footprints of kernels whose answers are known.
#include "compiler/footprint.hpp"

#include <ctime>
#include <gtest/gtest.h>
#include <set>

#include "compiler/client.hpp"
#include "compiler/use.hpp"
#include "kernel_files.hpp"

namespace mkmd::compiler::test {
namespace {

KernelInfo kernel_of(const std::string& source) {
  Client client(MKMD_KC, "");
  Result<Module> m = client.compile(request_for(source));
  EXPECT_TRUE(m.ok()) << m.status().message();
  return m.ok() ? m->kernels.at(0) : KernelInfo{};
}

Launch launch(unsigned dimensions, std::array<uint64_t, 3> global, std::array<uint64_t, 3> local,
              std::vector<int64_t> scalars) {
  return {dimensions, global, local, {0, 0, 0}, std::move(scalars)};
}

const Footprint& of(const std::vector<Footprint>& all, int argument) {
  for (const Footprint& f : all)
    if (f.argument == argument) return f;
  static const Footprint none;
  ADD_FAILURE() << "argument " << argument << " is not accessed";
  return none;
}

constexpr const char* kMatmul =
    "kernel void mm(global const float* a, global const float* b, global float* c, int n) {\n"
    "  int x = get_global_id(0), y = get_global_id(1); float s = 0;\n"
    "  for (int k = 0; k < n; ++k) s += a[y * n + k] * b[k * n + x];\n"
    "  if (x < n && y < n) c[y * n + x] = s; }";

// The launch is cut into halves along its last dimension with several groups.
Meeting halves_meet(const KernelInfo& k, const LaunchLine& line) {
  const std::array<uint64_t, 3> groups = line.groups();
  size_t d = 2;
  while (groups[d] < 2)
    --d;
  GroupBox low{{0, 0, 0}, groups}, high = low;
  low.hi[d] = high.lo[d] = groups[d] / 2;
  const LaunchFootprints footprints(k, line.with_scalars(k));
  const std::vector<Footprint> a = footprints.of(low), b = footprints.of(high);
  Meeting found = Meeting::none;
  for (size_t i = 0; i < a.size(); ++i) {
    const ArgumentValue& argument = line.arguments[static_cast<size_t>(a[i].argument)];
    const uint64_t size = argument.bytes.size() / argument.unit();
    found = std::max(found, meeting(use_of({{&a[i], 0, size}}), use_of({{&b[i], 0, size}})));
  }
  return found;
}

TEST(Footprint, HalvesAreToldApartAsFarAsThereIsProof) {
  Client client(MKMD_KC, "");
  int lines = 0;
  for (const KernelFile& file : kernel_files()) {
    const Result<Module> m = client.compile(request_for(file.source, file.options));
    ASSERT_TRUE(m.ok()) << m.status().message();
    for (const LaunchLine& line : file.launches) {
      if (!line.apart && !line.together && !line.summed) continue;
      ++lines;
      const Meeting known = line.apart ? Meeting::none : line.summed ? Meeting::updates : Meeting::conflict;
      EXPECT_EQ(halves_meet(*find_kernel(*m, line.kernel), line), known) << line.text;
    }
  }
  EXPECT_GT(lines, 40);
}

TEST(Footprint, RowsOfAMatrixProduct) {
  const KernelInfo k = kernel_of(kMatmul);
  const Launch l = launch(2, {1024, 1024, 1}, {16, 16, 1}, {0, 0, 0, 1024});
  const std::vector<Footprint> f = LaunchFootprints(k, l).of({{0, 8, 0}, {64, 16, 1}});
  EXPECT_EQ(of(f, 2).sure_writes, ByteRanges(128 * 4096, 256 * 4096));
  EXPECT_EQ(of(f, 0).reads, ByteRanges(128 * 4096, 256 * 4096));
  EXPECT_EQ(of(f, 1).reads, ByteRanges(0, 1024 * 4096));
  // Columns: a part of every row.
  const std::vector<Footprint> g = LaunchFootprints(k, l).of({{0, 0, 0}, {32, 64, 1}});
  EXPECT_EQ(of(g, 2).sure_writes, ByteRanges(ByteRows{0, 512 * 4, 1024 * 4, 1024}));
  EXPECT_EQ(of(g, 2).sure_writes.size(), 1U);
}

TEST(Footprint, WrapAroundIsUnknown) {
  const KernelInfo k = kernel_of(kMatmul);
  // 65536 rows of 65536: row · n leaves 32 bits.
  const Launch l = launch(2, {65536, 65536, 1}, {16, 16, 1}, {0, 0, 0, 65536});
  EXPECT_TRUE(of(LaunchFootprints(k, l).of({{0, 4000, 0}, {4096, 4096, 1}}), 2).writes_unknown);
  EXPECT_FALSE(of(LaunchFootprints(k, l).of({{0, 0, 0}, {1, 1, 1}}), 2).writes_unknown)
      << "the first rows are still in range";
}

TEST(Footprint, TooManyRangesBecomeAHull) {
  const KernelInfo k = kernel_of("kernel void s(global char* p) { p[2 * get_global_id(0)] = 1; }");
  const std::vector<Footprint> f =
      LaunchFootprints(k, launch(1, {1 << 20, 1, 1}, {64, 1, 1}, {0})).of({{0, 0, 0}, {1 << 14, 1, 1}});
  EXPECT_TRUE(f[0].sure_writes.empty());
  EXPECT_EQ(f[0].may_writes, ByteRanges(0, (2 << 20) - 1));
}

TEST(Footprint, FilledGapsLeaveNoRowsThatTouch) {
  const KernelInfo k =
      kernel_of("kernel void s(global float* p) { p[2 * get_global_id(0) + 5 * get_global_id(1)] = 1; }");
  const Launch l = launch(2, {3, 30000, 1}, {3, 1, 1}, {0});
  const std::vector<Footprint> f = LaunchFootprints(k, l).of({{0, 0, 0}, {1, 30000, 1}});
  EXPECT_EQ(f[0].may_writes.size(), 1U);
  EXPECT_EQ(f[0].may_writes, ByteRanges(0, 600000));
  EXPECT_EQ(f[0].may_writes.begin()->count, 1U);
}

TEST(Footprint, TooManyRowsBecomeASlabInEachPlane) {
  // A column in z per work-item, in a volume with a margin: rows never join, and there are 400 x 200 of them.
  const KernelInfo k = kernel_of(
      "kernel void s(global float* p, int row, int plane, int depth) {\n"
      "  for (int z = 0; z < depth; ++z) p[z * plane + get_global_id(1) * row + get_global_id(0)] = z; }");
  const Launch l = launch(2, {192, 800, 1}, {16, 4, 1}, {0, 200, 160000, 200});
  const std::vector<Footprint> f = LaunchFootprints(k, l).of({{0, 0, 0}, {12, 100, 1}});
  EXPECT_TRUE(f[0].sure_writes.empty());
  EXPECT_EQ(f[0].may_writes, ByteRanges(ByteRows{0, 4 * (399 * 200 + 192), 640000, 200}));
  const std::vector<Footprint> g = LaunchFootprints(k, l).of({{0, 100, 0}, {12, 200, 1}});
  EXPECT_FALSE(f[0].may_writes.overlaps(g[0].may_writes)) << "so it can be split";
  const std::vector<Footprint> few = LaunchFootprints(k, l).of({{0, 0, 0}, {12, 50, 1}});
  EXPECT_EQ(few[0].sure_writes.total(), 200U * 200 * 4 * 192) << "listed row by row";
}

TEST(Footprint, GlobalSizesThatDoNotDivideAreUnknown) {
  const KernelInfo k = kernel_of("kernel void s(global char* p) { p[get_global_id(0)] = 1; }");
  EXPECT_TRUE(LaunchFootprints(k, launch(1, {100, 1, 1}, {64, 1, 1}, {0}))
                  .of({{0, 0, 0}, {1, 1, 1}})[0]
                  .writes_unknown);
  EXPECT_TRUE(LaunchFootprints(k, launch(1, {128, 1, 1}, {64, 1, 1}, {0}))
                  .of({{0, 0, 0}, {3, 1, 1}})[0]
                  .writes_unknown)
      << "a box outside the NDRange";
}

TEST(Footprint, MissingScalarsAreUnknown) {
  const KernelInfo k = kernel_of(kMatmul);
  EXPECT_TRUE(of(LaunchFootprints(k, launch(2, {64, 64, 1}, {8, 8, 1}, {})).of({{0, 0, 0}, {8, 8, 1}}), 2)
                  .writes_unknown);
}

TEST(Footprint, StencilReadsRowsWithTheirHalo) {
  const KernelInfo k = kernel_of("kernel void st(global const float* in, global float* out, int w, int h) {\n"
                                 "  int x = get_global_id(0), y = get_global_id(1);\n"
                                 "  if (x > 0 && x < w - 1 && y > 0 && y < h - 1)\n"
                                 "    out[y * w + x] = in[y * w + x - 1] + in[y * w + x + 1] + in[(y - 1) * "
                                 "w + x] + in[(y + 1) * w + x]; }");
  const Launch l = launch(2, {64, 64, 1}, {8, 8, 1}, {0, 0, 64, 64});
  const std::vector<Footprint> f = LaunchFootprints(k, l).of({{0, 2, 0}, {8, 4, 1}});
  const ByteRange reads = of(f, 0).reads.hull();
  EXPECT_EQ(reads.lo, (15U * 64 + 1) * 4);
  EXPECT_EQ(reads.hi, (32U * 64 + 63) * 4);
  EXPECT_EQ(of(f, 1).sure_writes.total(), 16U * 62 * 4);
}

TEST(Footprint, EmptyLoopsWriteNothing) {
  const KernelInfo k = kernel_of(
      "kernel void e(global int* p, int n) { for (int i = 0; i < n; ++i) p[get_global_id(0)] = i; }");
  const GroupBox box{{0, 0, 0}, {2, 1, 1}};
  EXPECT_TRUE(LaunchFootprints(k, launch(1, {16, 1, 1}, {8, 1, 1}, {0, 0})).of(box)[0].may_writes.empty());
  EXPECT_EQ(LaunchFootprints(k, launch(1, {16, 1, 1}, {8, 1, 1}, {0, 1})).of(box)[0].sure_writes,
            ByteRanges(0, 64));
}

TEST(Footprint, AChangedStructArgumentIsNotReadAsPassed) {
  const KernelInfo k = kernel_of(
      "typedef struct { int n, k; } S;\n"
      "kernel void e(global int* p, S s) { if (p[get_global_id(0)]) s.n = 0; if (s.n) p[63 - s.k] = 1; }");
  Launch l = launch(1, {16, 1, 1}, {8, 1, 1}, {});
  const int values[2] = {1, 2};
  set_scalars(k, 1, values, sizeof values, l.scalars);
  EXPECT_FALSE(k.split_allowed);
  const Footprint f = LaunchFootprints(k, l).of({{0, 0, 0}, {2, 1, 1}})[0];
  EXPECT_TRUE(f.writes_unknown || f.may_writes.contains(61 * 4, 62 * 4));
  EXPECT_TRUE(f.sure_writes.empty());
}

TEST(Footprint, OnlyNumbersThatTheDescriptionHoldsMatter) {
  const KernelInfo k = kernel_of("kernel void e(global int* p, int round, int first, int2 of, int count) {"
                                 "  for (int i = 0; i < count; ++i)"
                                 "    if (i > of.y) p[first + get_global_id(0)] = round * of.x + i;"
                                 "}");
  const std::vector<bool> matter = scalars_that_matter(k);
  EXPECT_FALSE(matter[0]);
  EXPECT_FALSE(matter[1]);
  EXPECT_TRUE(matter[2]);
  EXPECT_TRUE(matter[4]);
  ASSERT_EQ(matter.size(), k.arguments.size() + k.extra_scalars.size());
  for (size_t i = 0; i < k.extra_scalars.size(); ++i)
    EXPECT_EQ(matter[k.arguments.size() + i], k.extra_scalars[i].offset == 4);
}

TEST(Footprint, AllNumbersMatterWhereTheTimeIsAGuess) {
  const KernelInfo k = kernel_of("kernel void e(global int* p, int n, int round) {"
                                 "  int i = get_global_id(0), x = i;"
                                 "  while (x * x % 1000 < n) x = x * 31 + round;"
                                 "  p[i] = x;"
                                 "}");
  const std::vector<bool> matter = scalars_that_matter(k);
  EXPECT_TRUE(matter[1]);
  EXPECT_TRUE(matter[2]);
}

TEST(Footprint, ABoundOf64BitsIsCutAsTheProgramCutsIt) {
  const KernelInfo k = kernel_of("kernel void e(global int* p, long n) { for (uint i = 0; i != (uint)n; ++i) "
                                 "p[get_global_id(0)] = 1; }");
  const GroupBox box{{0, 0, 0}, {2, 1, 1}};
  const auto sure = [&](int64_t n) {
    return LaunchFootprints(k, launch(1, {16, 1, 1}, {8, 1, 1}, {0, n})).of(box)[0].sure_writes;
  };
  EXPECT_EQ(sure(3), ByteRanges(0, 64));
  EXPECT_TRUE(sure(int64_t{1} << 32).empty()) << "which is 0 in 32 bits";
  EXPECT_TRUE(sure(-1).empty()) << "2^32 - 1 times, but that is not known";
}

TEST(Footprint, UndefinedComponentsAreNotSurelyWritten) {
  const KernelInfo k =
      kernel_of("kernel void e(global float3* p) { p[get_global_id(0)] = (float3)(1, 2, 3); }");
  const Footprint f = LaunchFootprints(k, launch(1, {4, 1, 1}, {2, 1, 1}, {0})).of({{0, 0, 0}, {2, 1, 1}})[0];
  EXPECT_EQ(f.may_writes, ByteRanges(0, 64));
  EXPECT_EQ(f.sure_writes, ByteRanges(ByteRows{0, 12, 16, 4}));
}

TEST(Footprint, RowsAPowerOfTwoApartCrowd) {
  const KernelInfo k =
      kernel_of("kernel void t(global const float* a, global float* c, int n) {\n"
                "  int x = get_global_id(0), y = get_global_id(1); c[x * n + y] = a[y * n + x]; }");
  const auto crowding = [&](uint64_t n, uint64_t x, uint64_t y) {
    return LaunchFootprints(k, launch(2, {n, n, 1}, {x, y, 1}, {0, 0, static_cast<int64_t>(n)})).crowding();
  };
  // 32 lines, 4 KiB apart: all in one set. 3 KiB apart: in four. 4352 bytes apart: spread evenly.
  EXPECT_EQ(crowding(1024, 32, 2), 32);
  EXPECT_EQ(crowding(768, 32, 2), 8);
  EXPECT_EQ(crowding(1088, 32, 2), 2);
  EXPECT_EQ(crowding(1024, 8, 8), 8);
  const KernelInfo add = kernel_of("kernel void s(global float* p) { p[get_global_id(0)] = 1; }");
  EXPECT_EQ(LaunchFootprints(add, launch(1, {1 << 16, 1, 1}, {1024, 1, 1}, {0})).crowding(), 1);
}

TEST(Footprint, WhatOneWorkGroupTouches) {
  const KernelInfo k = kernel_of(kMatmul);
  const auto use = [&](uint64_t n) {
    return LaunchFootprints(k, launch(2, {n, n, 1}, {8, 8, 1}, {0, 0, 0, static_cast<int64_t>(n)}))
        .one_group();
  };
  // Eight rows of a, eight columns of b, eight rows of a tile of c. At 256, b's rows are 1 KiB apart.
  const auto regular = use(256);
  EXPECT_EQ(regular.lines, 64 * (8 * 16 + 256 + 8));
  EXPECT_EQ(regular.reach, 4096 * (2 + 64 + 2));
  EXPECT_EQ(regular.crowding, 64);  // 256 lines in four sets
  // 17 lines apart: on all sets. A page has at most four of the rows.
  const auto odd = use(272);
  EXPECT_NEAR(odd.crowding, 272 / 64.0, 0.1);
  EXPECT_NEAR(odd.reach, 4096 * (272 * 1088 / 4096.0 + 2 * 8 * 1088 / 4096.0), 3 * 4096);
  // Side by side: nothing is counted twice.
  const KernelInfo add = kernel_of("kernel void s(global float* p) { p[get_global_id(0)] = 1; }");
  const auto row = LaunchFootprints(add, launch(1, {1 << 16, 1, 1}, {4096, 1, 1}, {0})).one_group();
  EXPECT_EQ(row.lines, 4 * 4096);
  EXPECT_EQ(row.reach, 4 * 4096);
  EXPECT_EQ(row.crowding, 4);
  // Every other float: rows shorter than a line.
  const KernelInfo gaps = kernel_of("kernel void s(global float* p) { p[2 * get_global_id(0)] = 1; }");
  const auto half = LaunchFootprints(gaps, launch(1, {1 << 16, 1, 1}, {4096, 1, 1}, {0})).one_group();
  EXPECT_EQ(half.lines, 8 * 4096);
  EXPECT_EQ(half.reach, 8 * 4096);
  const KernelInfo unknown =
      kernel_of("kernel void s(global int* p, global int* i) { p[i[get_global_id(0)]] = 1; }");
  EXPECT_EQ(LaunchFootprints(unknown, launch(1, {1 << 16, 1, 1}, {64, 1, 1}, {0, 0})).one_group().lines, 256)
      << "of the index, which is known";
}

// Of this thread's own time: how busy the machine is does not matter.
double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

TEST(Footprint, OfAMatrixProductTakesMicroseconds) {
  const KernelInfo k = kernel_of(kMatmul);
  const Launch l = launch(2, {1024, 1024, 1}, {16, 16, 1}, {0, 0, 0, 1024});
  const int rounds = 2000;
  size_t sum = 0;
  const double start = thread_seconds();
  for (int i = 0; i < rounds; ++i)
    sum += LaunchFootprints(k, l).of({{0, 8, 0}, {64, 16, 1}}).size();
  const double us = (thread_seconds() - start) * 1e6 / rounds;
  EXPECT_EQ(sum, 3U * rounds);
  std::printf("%.2f us\n", us);
  EXPECT_LT(us, 200) << "a few microseconds, with room for slow machines and sanitizers";
}

}  // namespace
}  // namespace mkmd::compiler::test
