// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/memory/buffer_use.hpp"

#include <gtest/gtest.h>

namespace mkmd {
namespace {

using compiler::Update;

constexpr Update kAdd{Update::Kind::add, 4}, kWideAdd{Update::Kind::add, 8}, kMost{Update::Kind::smax, 4};

// Only the address counts.
Memory* root(int i) {
  static char roots[2];
  return reinterpret_cast<Memory*>(&roots[i]);
}

BufferUse updated(ByteRanges bytes, Update by, int buffer = 0) {
  return {{bytes, bytes, bytes, {{by, bytes}}}, root(buffer)};
}
BufferUse read(ByteRanges bytes, int buffer = 0) {
  return {{bytes, {}, bytes}, root(buffer)};
}

TEST(BufferUse, EqualUpdatesOfTheSameBytesCommute) {
  const BufferUses a{updated({0, 64}, kAdd)}, b{updated({32, 96}, kAdd)};
  EXPECT_FALSE(independent(a, b));
  EXPECT_TRUE(commute(a, b));
}

TEST(BufferUse, OtherUpdatesOfTheSameBytesDoNot) {
  for (const Update other : {kWideAdd, kMost}) {
    EXPECT_FALSE(commute({updated({0, 64}, kAdd)}, {updated({56, 96}, other)}));
    EXPECT_TRUE(commute({updated({0, 64}, kAdd)}, {updated({64, 96}, other)}));
    EXPECT_TRUE(commute({updated({0, 64}, kAdd)}, {updated({56, 96}, other, 1)})) << "another buffer";
  }
}

BufferUse stored(ByteRanges bytes, Update by) {
  return {{{}, bytes, bytes, {{by, bytes}}}, root(0)};
}

TEST(BufferUse, StoresCommuteIfTheNumberIsTheSame) {
  constexpr Update kOne{Update::Kind::store, 4, 1}, kTwo{Update::Kind::store, 4, 2},
      kByte{Update::Kind::store, 1, 1};
  EXPECT_TRUE(commute({stored({0, 64}, kOne)}, {stored({32, 96}, kOne)}));
  EXPECT_FALSE(commute({stored({0, 64}, kOne)}, {stored({32, 96}, kTwo)}));
  EXPECT_FALSE(commute({stored({0, 64}, kOne)}, {stored({32, 96}, kByte)}));
  EXPECT_FALSE(commute({stored({0, 64}, kOne)}, {updated({32, 96}, kAdd)}));
  EXPECT_FALSE(commute({stored({0, 64}, kOne)}, {read({60, 64})}));
}

// Two arguments lead to one buffer, the second one from byte 4 on.
TEST(BufferUse, WhatAnotherArgumentDoesToTheBytesCounts) {
  constexpr Update kOne{Update::Kind::store, 4, 1}, kTwo{Update::Kind::store, 4, 2};
  const auto storing = [](Update by) {
    compiler::Footprint f;
    f.may_writes = {0, 64};
    f.updates = {{{by, {0, 64}}}};
    return f;
  };
  compiler::Footprint reading;
  reading.reads = {0, 8};
  const compiler::Footprint one = storing(kOne), two = storing(kTwo);
  const auto updates = [&](const compiler::Footprint& other) {
    return compiler::use_of({{&one, 0, 64}, {&other, 4, 60}}).updates;
  };
  ASSERT_EQ(updates(one).size(), 1);
  EXPECT_EQ(updates(one)[0].bytes, ByteRanges(0, 64));
  ByteRanges unread{0, 64};
  unread.subtract({4, 12});
  EXPECT_EQ(updates(reading)[0].bytes, unread);
  ASSERT_EQ(updates(two).size(), 1);
  EXPECT_EQ(updates(two)[0].bytes, ByteRanges(0, 4));
}

TEST(BufferUse, WhatIsReadOrWrittenBesidesDoesNotCommute) {
  EXPECT_FALSE(commute({updated({0, 64}, kAdd)}, {read({60, 64})}));
  EXPECT_FALSE(commute({read({60, 64})}, {updated({0, 64}, kAdd)}));
  // One side reads a byte that it updates, too: of its updates, that one has something else.
  BufferUse mixed = updated({0, 64}, kAdd);
  mixed.updates[0].bytes.subtract({8, 9});
  EXPECT_FALSE(commute({mixed}, {updated({0, 64}, kAdd)}));
  EXPECT_FALSE(commute({updated({0, 64}, kAdd)}, {mixed}));
  EXPECT_TRUE(commute({mixed}, {updated({12, 64}, kAdd)}));
}

TEST(BufferUse, WhatIsIndependentCommutes) {
  EXPECT_TRUE(commute({read({0, 64})}, {read({0, 64})}));
  EXPECT_TRUE(commute({}, {updated({0, 64}, kAdd)}));
}

}  // namespace
}  // namespace mkmd
