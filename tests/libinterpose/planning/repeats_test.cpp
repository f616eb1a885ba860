// SPDX-License-Identifier: Apache-2.0
// Plans of launches that repeat pieces whose code has run, since drivers may compile no more.
#include "tests/libinterpose/planning/windows.hpp"

#include <gtest/gtest.h>

namespace mkmd::planning {
namespace {

using namespace test;

class Repeats : public testing::Test, protected RowWindows {};

TEST_F(Repeats, PiecesAreNoLargerThanThoseThatHaveRun) {
  Task task = rows(0, 1);
  task.kernel.ran = RanBefore{1, {4, 300, 1}};
  const Plan made = plan(shared_, buffers_, {std::move(task)}, Purpose::repeats);
  EXPECT_FALSE(made.schedule);
  expect_partition(made.tasks[0]);
  EXPECT_EQ(made.tasks[0].pieces.size(), 4);
  EXPECT_TRUE(made.tasks[0].as_before);
  for (const Piece& piece : made.tasks[0].pieces) {
    EXPECT_EQ(piece.device, 1);
    EXPECT_EQ(piece.box.hi[1] - piece.box.lo[1], 256) << "as equal as can be";
  }
}

// Its scalars or index buffers may hold other numbers than when it ran in pieces. The driver may never have
// compiled the program's own code.
TEST_F(Repeats, WhatIsNoLongerSafeToSplitRunsPieceAfterPiece) {
  for (const Machine* const machine : {&shared_, &separate_}) {
    Task task = scatter_kernel(buffers_[0], kSize, 1024, {0.1, 0.1});
    task.kernel.ran = RanBefore{1, {4, 300, 1}};
    const Plan made = plan(*machine, buffers_, {std::move(task)}, Purpose::repeats);
    EXPECT_GT(made.tasks[0].pieces.size(), 1);
    EXPECT_TRUE(made.tasks[0].as_before);
    for (const Piece& piece : made.tasks[0].pieces) {
      EXPECT_EQ(piece.device, 1);
      EXPECT_EQ(piece.seconds, 0) << "it may not move to another device";
      EXPECT_LE(piece.box.hi[1] - piece.box.lo[1], 300);
      ASSERT_EQ(piece.uses.size(), 1);
      EXPECT_EQ(piece.uses[0].writes, ByteRanges(0, kSize));
    }
  }
}

}  // namespace
}  // namespace mkmd::planning
