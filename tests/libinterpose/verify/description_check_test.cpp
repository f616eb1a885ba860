// SPDX-License-Identifier: Apache-2.0
// Descriptions that are wrong of what a piece reads or writes.
#include "tests/libinterpose/verify/description_check_fixture.hpp"

namespace mkmd::verify {
namespace {

TEST_F(DescriptionCheckTest, ARightDescriptionIsFoundRight) {
  add_buffer(4 * kItems);
  add_buffer(4 * kItems);
  describe(Access::Kind::read, 0, 4, 4);
  describe(Access::Kind::write, 1, 4, 4);
  expect_right(copy_items);
}

TEST_F(DescriptionCheckTest, MoreThanNeededIsNoDifference) {
  add_buffer(4 * kItems);
  add_buffer(4 * kItems);
  describe(Access::Kind::read, 0, 400, 4);
  describe(Access::Kind::write, 1, 4, 4, 0, false);
  expect_right([](const Running& r) {
    for (uint64_t i = r.first; i < r.end; ++i) {
      if (i % 3 == 0) r.of(1)[i] = r.of(0)[i];
    }
  });
}

TEST_F(DescriptionCheckTest, AReadBeyondTheDescribed) {
  add_buffer(4 * kItems + 4);
  add_buffer(4 * kItems);
  describe(Access::Kind::read, 0, 4, 4);
  describe(Access::Kind::write, 1, 4, 4);
  // The next piece's first number.
  expect(
      [](const Running& r) {
        for (uint64_t i = r.first; i < r.end; ++i)
          r.of(1)[i] = r.of(0)[i] + r.of(0)[i + 1];
      },
      Kind::undescribed_read, 0, {2 * kItems, 2 * kItems + 4}, 10);
}

TEST_F(DescriptionCheckTest, AReadOfAnArgumentThatIsNotDescribedAtAll) {
  add_buffer(4 * kItems);
  add_buffer(4 * kItems);
  describe(Access::Kind::write, 1, 4, 4);
  expect(copy_items, Kind::undescribed_read, 0, {0, 2 * kItems}, 0);
}

TEST_F(DescriptionCheckTest, AReadThatOnlyOnePoisonShows) {
  add_buffer(4 * kItems);
  add_buffer(4 * kItems);
  describe(Access::Kind::write, 1, 4, 4);
  const Kernel kernel = [](const Running& r) {  // one less than a number of small poison is nothing
    for (uint64_t i = r.first; i < r.end; ++i)
      r.of(1)[i] = r.of(0)[i] > 1 && r.of(0)[i] < 0x80000000 ? 1 : 0;
  };
  EXPECT_FALSE(check(kernel, Poison::small).differences.empty());
  const Kernel other = [](const Running& r) {
    for (uint64_t i = r.first; i < r.end; ++i)
      r.of(1)[i] = r.of(0)[i] == 0xc2a55ac3 ? 1 : 0;
  };
  EXPECT_TRUE(check(other, Poison::small).differences.empty());
  EXPECT_FALSE(check(other, Poison::mixed).differences.empty());
}

TEST_F(DescriptionCheckTest, AWriteBeyondTheDescribed) {
  add_buffer(4 * kItems);
  add_buffer(8 * kItems);
  describe(Access::Kind::read, 0, 4, 4);
  describe(Access::Kind::write, 1, 4, 8);
  expect(
      [](const Running& r) {
        for (uint64_t i = r.first; i < r.end; ++i)
          r.of(1)[2 * i] = r.of(1)[2 * i + 1] = r.of(0)[i];
      },
      Kind::undescribed_write, 1, {4, 4 * kItems}, 11);
}

TEST_F(DescriptionCheckTest, AWriteToWhatIsDescribedAsRead) {
  add_buffer(4 * kItems);
  add_buffer(4 * kItems);
  describe(Access::Kind::read, 0, 4, 4);
  describe(Access::Kind::write, 1, 4, 4);
  expect(
      [](const Running& r) {
        copy_items(r);
        r.of(0)[r.first] ^= 0xffffffff;
      },
      Kind::undescribed_write, 0, {0, 4}, 10);
}

TEST_F(DescriptionCheckTest, AWriteBehindTheBuffer) {
  add_buffer(4 * kItems);
  add_buffer(4 * kItems);
  describe(Access::Kind::read, 0, 4, 4);
  describe(Access::Kind::write, 1, 4, 4);
  const Found found = check([](const Running& r) {
    copy_items(r);
    if (!r.original) r.of(1)[kItems + 7] = 5;
  });
  ASSERT_FALSE(found.differences.empty());
  EXPECT_EQ(found.differences[0].kind, Kind::undescribed_write);
  EXPECT_EQ(found.differences[0].argument, -1);
  // A launch of the program's that does so has no results to compare.
  const Found wild = check([](const Running& r) {
    copy_items(r);
    r.of(1)[kItems + 7] = 5;
  });
  EXPECT_TRUE(wild.writes_beyond);
  EXPECT_TRUE(wild.differences.empty());
}

TEST_F(DescriptionCheckTest, AWriteThatIsNotSure) {
  add_buffer(4 * kItems);
  add_buffer(4 * kItems);
  describe(Access::Kind::read, 0, 4, 4);
  describe(Access::Kind::write, 1, 4, 4);
  expect(
      [](const Running& r) {
        for (uint64_t i = r.first; i < r.end; ++i) {
          if (i % 4 != 1) r.of(1)[i] = r.of(0)[i];
        }
      },
      Kind::missing_write, 1, {4, 2 * kItems - 8}, 11);
}

TEST_F(DescriptionCheckTest, ManyMissingWritesAreNoReads) {
  add_buffer(4 * kItems);
  add_buffer(64 * kItems);
  describe(Access::Kind::read, 0, 4, 4);
  describe(Access::Kind::write, 1, 64, 64);
  // Single bytes at ever other distances, more than are kept one by one.
  const auto writes = [](uint64_t byte) { return (byte * 2654435761u >> 13) % 3 == 0; };
  ByteRanges unwritten;
  for (uint64_t byte = 0; byte < 64 * kItems / 2; ++byte) {
    if (!writes(byte)) unwritten.add(byte, byte + 1);
  }
  expect(
      [&](const Running& r) {
        for (uint64_t byte = 64 * r.first; byte < 64 * r.end; ++byte) {
          if (writes(byte)) r.of<unsigned char>(1)[byte] = 0x33;
        }
      },
      Kind::missing_write, 1, unwritten.hull(), 11);
}

TEST_F(DescriptionCheckTest, PiecesWithOtherResults) {
  add_buffer(4 * kItems);
  add_buffer(4 * kItems);
  describe(Access::Kind::read, 0, 4, 4);
  describe(Access::Kind::write, 1, 4, 4);
  expect(
      [](const Running& r) {
        copy_items(r);
        if (!r.original && r.first == 0) r.of(1)[3] ^= 0xffff;
      },
      Kind::other_result, 1, {12, 14}, 11);
}

TEST_F(DescriptionCheckTest, WhatNoPieceWrites) {
  add_buffer(4 * kItems);
  add_buffer(8 * kItems);
  describe(Access::Kind::read, 0, 4, 4);
  describe(Access::Kind::write, 1, 4, 4);
  expect(
      [](const Running& r) {
        copy_items(r);
        if (r.original) r.of(1)[kItems + 2] = 0xffffffff;
      },
      Kind::other_result, 1, {4 * kItems + 8, 4 * kItems + 12}, 11);
}

TEST_F(DescriptionCheckTest, LaunchesThatVaryAreNoDifference) {
  add_buffer(4 * kItems);
  add_buffer(4 * kItems);
  describe(Access::Kind::read, 0, 4, 4);
  describe(Access::Kind::write, 1, 4, 4);
  int runs = 0;
  const Kernel kernel = [&](const Running& r) {
    ++runs;
    for (uint64_t i = r.first; i < r.end; ++i)
      r.of(1)[i] = r.of(0)[i] + static_cast<uint32_t>(runs);
  };
  const Found found = check(kernel);
  EXPECT_TRUE(found.differences.empty());
  EXPECT_TRUE(found.varies);
}

TEST_F(DescriptionCheckTest, AWrongWriteOfALaunchThatVariesIsFound) {
  add_buffer(4 * kItems);
  add_buffer(4 * kItems);
  describe(Access::Kind::read, 0, 4, 4);
  describe(Access::Kind::write, 1, 4, 8);
  int runs = 0;
  const Kernel kernel = [&](const Running& r) {
    ++runs;
    for (uint64_t i = r.first; i < r.end; ++i)
      r.of(1)[i] = r.of(0)[i] + static_cast<uint32_t>(runs);
  };
  const Found found = check(kernel);
  ASSERT_FALSE(found.differences.empty());
  EXPECT_EQ(found.differences[0].kind, Kind::undescribed_write);
  EXPECT_TRUE(found.varies);
}

TEST_F(DescriptionCheckTest, PiecesThatTouchTheSameBytesDoNotRun) {
  add_buffer(4 * kItems);
  add_buffer(4 * kItems);
  describe(Access::Kind::read, 0, 4, 4);
  describe(Access::Kind::write, 1, 4, 0);
  const Found found = check([](const Running& r) { r.of(1)[0] = r.of(0)[r.first]; });
  EXPECT_FALSE(found.independent);
  EXPECT_EQ(found.pieces, 0u);
}

// The whole launch holds what the work-group beside it has written.
TEST_F(DescriptionCheckTest, PiecesThatTheRestOfTheLaunchTouchesDoNotRun) {
  add_buffer(4 * kItems);
  add_buffer(4 * kItems + 4);
  describe(Access::Kind::read, 0, 4, 4);
  describe(Access::Kind::write, 1, 8, 4, 0, false);
  pieces_ = {{{0, 0, 0}, {1, 1, 1}}, {{kGroups - 1, 0, 0}, {kGroups, 1, 1}}};
  whole_ = false;
  const Found found = check(copy_items);
  EXPECT_FALSE(found.independent);
  EXPECT_EQ(found.pieces, 0u);
  info_.accesses[1].bytes = 4;
  EXPECT_TRUE(check(copy_items).independent);
}

// Arguments 1 and 2 are parts of one buffer.
TEST_F(DescriptionCheckTest, BytesAreThoseOfThePartThatIsUsedSo) {
  add_buffer(4 * kItems);
  add_buffer(12 * kItems);
  add_part(1, 4 * kItems, 4 * kItems);
  add_part(1, 8 * kItems, 4 * kItems);
  describe(Access::Kind::read, 2, 4, 4);
  describe(Access::Kind::write, 3, 4, 4);
  const auto with = [](uint64_t more) {
    return [more](const Running& r) {
      for (uint64_t i = r.first; i < r.end; ++i)
        r.of(3)[i] = r.of(2)[i] + (i + more < kItems ? r.of(2)[i + more] : 0);
    };
  };
  expect_right(with(kItems));
  expect(with(3), Kind::undescribed_read, 2, {2 * kItems, 2 * kItems + 12}, 10);
}

// The same buffer as source and destination: the description is right, but pieces are not independent.
TEST_F(DescriptionCheckTest, AliasesAreSeen) {
  add_buffer(4 * kItems + 4);
  add_part(0, 0, 4 * kItems + 4);
  describe(Access::Kind::read, 0, 4, 4, 4);
  describe(Access::Kind::write, 1, 4, 4);
  EXPECT_FALSE(check([](const Running&) {}).independent);
}

TEST_F(DescriptionCheckTest, ReadsOfSeveralArgumentsTogether) {
  add_buffer(4 * kItems);
  add_buffer(4 * kItems);
  add_buffer(4 * kItems);
  describe(Access::Kind::write, 2, 4, 4);
  const Found found = check([](const Running& r) {
    for (uint64_t i = r.first; i < r.end; ++i)
      r.of(2)[i] = r.of(0)[i] <= 1 && r.of(1)[i] <= 1 ? 1 : 0;
  });
  ASSERT_FALSE(found.differences.empty());
  EXPECT_EQ(found.differences[0].kind, Kind::undescribed_read);
  EXPECT_EQ(found.differences[0].argument, -1);
}

}  // namespace
}  // namespace mkmd::verify
