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
