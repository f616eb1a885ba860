// SPDX-License-Identifier: Apache-2.0
#include "compiler/owned_bytes.hpp"

#include <gtest/gtest.h>

#include <random>

namespace mkmd::compiler {
namespace {

Use whole_use(uint64_t size) {
  Use use;
  for (ByteRanges* const set : {&use.reads, &use.writes, &use.needed})
    set->add(0, size);
  return use;
}

// Groups 0 to 3 side by side, the last two of them twice as high.
TEST(OwnedBytes, AreThoseOfTheGroupsInABox) {
  const std::vector<uint32_t> owners{1, 1, 2, 0, 3, 4, 4, 1};
  const OwnedBytes owned({2, 2, 1}, 4, owners);
  ASSERT_TRUE(owned.known());
  Use use = whole_use(32);
  owned.limit(use, {{0, 0, 0}, {1, 1, 1}}, 1024);  // group 0
  ByteRanges own(0, 8);
  own.add(28, 32);
  EXPECT_EQ(use.writes, own);
  ByteRanges needed(0, 8);
  needed.add(12, 16);
  needed.add(28, 32);
  EXPECT_EQ(use.needed, needed);
  EXPECT_EQ(use.reads, needed);
  use = whole_use(32);
  owned.limit(use, {{0, 1, 0}, {2, 2, 1}}, 1024);  // groups 2 and 3
  EXPECT_EQ(use.writes, ByteRanges(16, 28));
}

TEST(OwnedBytes, WhatIsUpdatedIsWritten) {
  const std::vector<uint32_t> owners{1, 2};
  Use use;
  use.updates.push_back({{Update::Kind::add, 4}, ByteRanges(0, 8)});
  OwnedBytes({2, 1, 1}, 4, owners).limit(use, {{1, 0, 0}, {2, 1, 1}}, 1024);
  EXPECT_TRUE(use.updates.empty());
  EXPECT_EQ(use.writes, ByteRanges(4, 8));
  EXPECT_EQ(use.needed, ByteRanges(4, 8));
}

TEST(OwnedBytes, ChangeNothingInTooManyBlocks) {
  const std::vector<uint32_t> owners{1, 2, 1, 2, 1, 2};
  const OwnedBytes owned({2, 1, 1}, 4, owners);
  Use use = whole_use(24);
  owned.limit(use, {{0, 0, 0}, {1, 1, 1}}, 2);
  EXPECT_EQ(use.writes, ByteRanges(0, 24));
  owned.limit(use, {{0, 0, 0}, {1, 1, 1}}, 3);
  EXPECT_EQ(use.writes.total(), 12);
}

TEST(OwnedBytes, AreNotKnownInVeryManyPlaces) {
  std::vector<uint32_t> owners(200'000);
  for (size_t e = 0; e < owners.size(); ++e)
    owners[e] = e % 2 + 1;
  const OwnedBytes owned({2, 1, 1}, 4, owners);
  EXPECT_FALSE(owned.known());
  Use use = whole_use(64);
  owned.limit(use, {{0, 0, 0}, {1, 1, 1}}, SIZE_MAX);
  EXPECT_EQ(use.writes, ByteRanges(0, 64));
}

TEST(OwnedBytes, OfAnyOwnersAreApart) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    const std::array<uint64_t, 3> groups{1 + random() % 3, 1 + random() % 3, 1 + random() % 2};
    const uint64_t count = groups[0] * groups[1] * groups[2];
    std::vector<uint32_t> owners(40);
    for (uint32_t& owner : owners)
      owner = static_cast<uint32_t>(random() % (count + 1));
    const OwnedBytes owned(groups, 8, owners);
    GroupBox box;
    for (size_t d = 0; d < 3; ++d) {
      box.lo[d] = random() % groups[d];
      box.hi[d] = box.lo[d] + 1 + random() % (groups[d] - box.lo[d]);
    }
    Use use = whole_use(320);
    owned.limit(use, box, 1024);
    for (uint64_t e = 0; e < owners.size(); ++e) {
      bool inside = false;
      for (uint64_t z = box.lo[2]; z < box.hi[2]; ++z)
        for (uint64_t y = box.lo[1]; y < box.hi[1]; ++y)
          for (uint64_t x = box.lo[0]; x < box.hi[0]; ++x)
            inside |= owners[e] == 1 + x + groups[0] * (y + groups[1] * z);
      ASSERT_EQ(use.writes.contains(8 * e, 8 * e + 8), inside);
      ASSERT_EQ(use.needed.contains(8 * e, 8 * e + 8), inside || owners[e] == 0);
    }
  }
}

}  // namespace
}  // namespace mkmd::compiler
