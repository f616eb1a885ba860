// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/verify/splits.hpp"

#include <gtest/gtest.h>

namespace mkmd::verify {
namespace {

compiler::GroupBox box(uint64_t x, uint64_t y, uint64_t z) {
  return {{0, 0, 0}, {x, y, z}};
}

TEST(Splits, AreTheWholeLaunchInOrder) {
  for (const uint64_t groups : {2, 3, 7, 64, 1000}) {
    for (uint64_t kind = 0; kind < 8; ++kind) {
      for (uint64_t seed = 0; seed < 20; ++seed) {
        const Pieces pieces = split(box(5, groups, 2), 1, kind, seed);
        uint64_t done = 0;
        for (const compiler::GroupBox& piece : pieces) {
          EXPECT_EQ(piece.lo[1], done);
          EXPECT_GT(piece.hi[1], done);
          done = piece.hi[1];
          EXPECT_EQ((std::array{piece.lo[0], piece.hi[0], piece.lo[2], piece.hi[2]}),
                    (std::array<uint64_t, 4>{0, 5, 0, 2}));
        }
        EXPECT_EQ(done, groups);
        EXPECT_LE(pieces.size(), 5u);
      }
    }
  }
}

TEST(Splits, HalvesAndThirds) {
  const Pieces halves = split(box(10, 1, 1), 0, 0, 3);
  ASSERT_EQ(halves.size(), 2u);
  EXPECT_EQ(halves[0].hi[0], 5u);
  const Pieces thirds = split(box(12, 1, 1), 0, 1, 3);
  ASSERT_EQ(thirds.size(), 3u);
  EXPECT_EQ(thirds[0].hi[0], 5u);
  EXPECT_EQ(thirds[1].hi[0], 9u);
}

TEST(Splits, TheSameNumbersGiveTheSamePieces) {
  bool some_differ = false;
  for (uint64_t kind = 2; kind < 6; ++kind) {
    EXPECT_EQ(split(box(1000, 1, 1), 0, kind, 5), split(box(1000, 1, 1), 0, kind, 5));
    some_differ |= split(box(1000, 1, 1), 0, kind, 5) != split(box(1000, 1, 1), 0, kind, 6);
  }
  EXPECT_TRUE(some_differ);
}

TEST(Splits, SlabsAreTheFirstTheLastAndOneBetween) {
  const Pieces slabs_of_two = slabs(box(1, 1, 2), 2, 9);
  ASSERT_EQ(slabs_of_two.size(), 2u);
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const Pieces of_many = slabs(box(1, 40, 3), 1, seed);
    ASSERT_EQ(of_many.size(), 3u);
    EXPECT_EQ(of_many[0], (compiler::GroupBox{{0, 0, 0}, {1, 1, 3}}));
    EXPECT_EQ(of_many[1], (compiler::GroupBox{{0, 39, 0}, {1, 40, 3}}));
    EXPECT_GT(of_many[2].lo[1], 0u);
    EXPECT_LT(of_many[2].lo[1], 39u);
    EXPECT_EQ(of_many[2].hi[1], of_many[2].lo[1] + 1);
  }
}

}  // namespace
}  // namespace mkmd::verify
