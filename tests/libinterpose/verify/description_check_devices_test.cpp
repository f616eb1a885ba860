// SPDX-License-Identifier: Apache-2.0
// Devices that refuse, and those that round otherwise than home.
#include "tests/libinterpose/verify/description_check_fixture.hpp"

#include <cmath>
#include <limits>

namespace mkmd::verify {
namespace {

TEST_F(DescriptionCheckTest, ADeviceThatRefusesIsNoDifference) {
  add_buffer(4 * kItems);
  add_buffer(4 * kItems);
  describe(Access::Kind::read, 0, 4, 4);
  describe(Access::Kind::write, 1, 4, 4);
  const Found no_piece = check(copy_items, Poison::small, 0, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(no_piece.status, CL_OUT_OF_RESOURCES);
  EXPECT_TRUE(no_piece.differences.empty());
  const Found no_map = check(copy_items, Poison::small, 0, CL_SUCCESS, true);
  EXPECT_EQ(no_map.status, CL_MAP_FAILURE);
  EXPECT_TRUE(no_map.differences.empty());
}

template <typename T>
Kernel numbers(T at_home, T elsewhere) {
  return [=](const Running& r) {
    for (uint64_t i = r.first; i < r.end; ++i)
      r.of<T>(1)[i] = i == 9 && r.code_generator != 0 ? elsewhere : at_home;
  };
}

TEST_F(DescriptionCheckTest, DevicesThatRoundDifferentlyAreMeasured) {
  add_buffer(4 * kItems, "float*");
  add_buffer(4 * kItems, "float4*");
  describe(Access::Kind::read, 0, 4, 4);
  describe(Access::Kind::write, 1, 4, 4);
  const float a_bit_more = std::nextafter(std::nextafter(1.0f, 2.0f), 2.0f);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float tiny = std::numeric_limits<float>::denorm_min();
  for (const auto& [x, y, ulps, nans] : {std::tuple{1.0f, 1.0f, 0, 0},
                                         {1.0f, a_bit_more, 2, 0},
                                         {a_bit_more, 1.0f, 2, 0},
                                         {0.0f, -0.0f, 0, 0},
                                         {tiny, -tiny, 2, 0},
                                         {1.0f, nan, 0, 1},
                                         {nan, -nan, 0, 0}}) {
    const Found found = check(numbers<float>(x, y), Poison::mixed, 1);
    EXPECT_TRUE(found.differences.empty());
    EXPECT_EQ(found.distance.ulps, static_cast<uint64_t>(ulps));
    EXPECT_EQ(found.distance.nans, static_cast<uint64_t>(nans));
    EXPECT_EQ(found.distance.bytes, 0u);
    EXPECT_EQ(found.pieces, 2u);
  }
}

TEST_F(DescriptionCheckTest, DoublesAndBytesThatAreNoFloats) {
  add_buffer(8 * kItems, "double*");
  add_buffer(8 * kItems, "double*");
  add_buffer(4 * kItems, "uchar*");
  describe(Access::Kind::write, 1, 8, 8);
  describe(Access::Kind::write, 2, 4, 4);
  const Found found = check(
      [](const Running& r) {
        for (uint64_t i = r.first; i < r.end; ++i) {
          r.of<double>(1)[i] = r.code_generator != 0 ? std::nextafter(5.0, 6.0) : 5.0;
          r.of(2)[i] = r.code_generator != 0 && i == 3 ? 0x10020 : 0x10030;
        }
      },
      Poison::small, 1);
  EXPECT_TRUE(found.differences.empty());
  EXPECT_EQ(found.distance.ulps, 1u);
  EXPECT_EQ(found.distance.bytes, 1u);
}

TEST_F(DescriptionCheckTest, IntegersAreTheSameOnAllDevices) {
  add_buffer(4 * kItems);
  add_buffer(4 * kItems);
  describe(Access::Kind::write, 1, 4, 4);
  const Found found = check(numbers<uint32_t>(7, 8), Poison::small, 1);
  ASSERT_EQ(found.differences.size(), 1u);
  EXPECT_EQ(found.differences[0].kind, Kind::other_result);
  EXPECT_EQ(found.differences[0].argument, 1);
  EXPECT_EQ(found.differences[0].bytes, (ByteRange{36, 37}));
  EXPECT_EQ(found.differences[0].device, "stage 1");
}

// Pieces there are compared with the whole launch there.
TEST_F(DescriptionCheckTest, ADeviceThatRoundsDifferentlyIsCheckedAsWell) {
  add_buffer(4 * kItems, "float*");
  add_buffer(4 * kItems, "float*");
  describe(Access::Kind::write, 1, 4, 4);
  const Found found = check(
      [](const Running& r) {
        for (uint64_t i = r.first; i < r.end; ++i)
          r.of<float>(1)[i] = r.code_generator != 0 ? r.of<float>(0)[i] : 1.0f;
      },
      Poison::small, 1);
  ASSERT_FALSE(found.differences.empty());
  EXPECT_EQ(found.differences[0].kind, Kind::undescribed_read);
  EXPECT_EQ(found.differences[0].argument, 0);
  EXPECT_EQ(found.differences[0].device, "stage 1");
}

}  // namespace
}  // namespace mkmd::verify
