// SPDX-License-Identifier: Apache-2.0
// Launches whose work-groups update the same bytes, where each device has a memory of its own.
#include "libinterpose/planning/updates.hpp"

#include "tests/libinterpose/planning/windows.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace mkmd::planning {
namespace {

using namespace test;

constexpr uint64_t kGroups = 1024;
constexpr uint64_t kSize = 4096;  // bytes

class Updates : public testing::Test {
protected:
  const std::unique_ptr<scheduler::Policy> policy_ = policy_named("mkmd-slices");
  Machine machine_ = machine_of(2, true, policy_.get());
  Buffers buffers_{2, kSize, 3};

  Task updating(std::vector<double> seconds = {0.1, 0.1}) {
    return updating_kernel(buffers_[0], kSize, kGroups, std::move(seconds));
  }
  PlannedTask planned(Task task) { return plan(machine_, buffers_, {std::move(task)}).tasks[0]; }
};

uint64_t groups_on(const PlannedTask& of, int device) {
  uint64_t groups = 0;
  for (const Piece& piece : of.pieces)
    groups += piece.device == device ? piece.box.group_count() : 0;
  return groups;
}

void expect_whole(const PlannedTask& of, const char* reason) {
  EXPECT_EQ(of.pieces.size(), 1);
  EXPECT_STREQ(of.not_split, reason);
  for (const Piece& piece : of.pieces)
    EXPECT_TRUE(piece.apart.empty());
}

constexpr const char* kNoMemory =
    "its work-groups update the same bytes, and its devices share no memory and code";

TEST_F(Updates, OnlyHomesPiecesTouchHomesBytes) {
  const PlannedTask of = planned(updating());
  EXPECT_TRUE(of.updates_together);
  EXPECT_GT(groups_on(of, 0), 0);
  EXPECT_GT(groups_on(of, 1), 0);
  for (const Piece& piece : of.pieces) {
    EXPECT_EQ(piece.apart.empty(), piece.device == 0);
    if (piece.device == 0) {
      EXPECT_EQ(piece.uses[0].writes, ByteRanges(0, kSize));
      continue;
    }
    EXPECT_TRUE(piece.uses[0].writes.empty() && piece.uses[0].needed.empty());
    ASSERT_EQ(piece.apart.size(), 1);
    EXPECT_EQ(piece.apart[0].root, buffers_[0]);
    EXPECT_EQ(piece.apart[0].updates[0].bytes, ByteRanges(0, kSize));
  }
  EXPECT_TRUE(split_is_safe(of, machine_));
}

TEST_F(Updates, APieceThatRunsAtHomeAfterAllTouchesThemThere) {
  PlannedTask of = planned(updating());
  Piece& piece = of.pieces.back();
  ASSERT_FALSE(piece.apart.empty());
  join(piece);
  EXPECT_TRUE(piece.apart.empty());
  EXPECT_EQ(piece.uses[0].needed, ByteRanges(0, kSize));
  EXPECT_TRUE(commute(piece.uses, of.pieces.front().uses));
}

TEST_F(Updates, OneDeviceOfEachOtherMemory) {
  machine_ = machine_of(3, true, policy_.get());
  machine_.platform.devices[2].mem = 1;
  machine_.domains = 2;
  const PlannedTask of = planned(updating({0.1, 0.2, 0.1}));
  EXPECT_GT(groups_on(of, 0), 0);
  EXPECT_EQ(groups_on(of, 1), 0);
  EXPECT_GT(groups_on(of, 2), 0);
}

TEST_F(Updates, ADriverThatWorksInHomesBytesHasNoCopy) {
  buffers_.places(0).make_home(1);
  expect_whole(planned(updating()), kNoMemory);
}

TEST_F(Updates, NumbersAreNotCut) {
  Task task = updating();
  task.kernel.uses_of = [uses_of = task.kernel.uses_of](const compiler::GroupBox& box, size_t most) {
    BufferUses uses = uses_of(box, most);
    uses[0].updates[0].bytes = uses[0].reads = uses[0].writes = uses[0].needed = {0, kSize - 2};
    return uses;
  };
  expect_whole(planned(std::move(task)), kNoMemory);
}

TEST_F(Updates, ScatteredNumbersAreNotMerged) {
  Task task = updating();
  task.kernel.uses_of = [uses_of = task.kernel.uses_of](const compiler::GroupBox& box, size_t most) {
    BufferUses uses = uses_of(box, most);
    uses[0].updates[0].bytes = ByteRanges(ByteRows{0, 4, 16, kSize / 16});
    uses[0].reads = uses[0].writes = uses[0].needed = uses[0].updates[0].bytes;
    return uses;
  };
  expect_whole(planned(std::move(task)), kNoMemory);
}

// Each work-group also changes bytes of its own in another buffer.
Task updating_in_place(Task task, Memory* own) {
  task.kernel.uses_of = [uses_of = task.kernel.uses_of, own](const compiler::GroupBox& box, size_t most) {
    BufferUses uses = uses_of(box, most);
    const ByteRanges bytes(box.lo[1] * 4, box.hi[1] * 4);
    uses.push_back({{bytes, bytes, bytes}, own});
    if (box.lo[0] > 0 || box.hi[0] < 4) uses.back().writes = {0, kSize};  // cut the other way
    return uses;
  };
  return task;
}

TEST_F(Updates, InPlaceIsWhatMoreThanUpdatesChange) {
  const BufferUse use{{{0, 12}, {4, 20}, {0, 20}, {{{compiler::Update::Kind::add, 4}, {8, 12}}}},
                      buffers_[0]};
  EXPECT_EQ(in_place(use), ByteRanges(4, 8));
}

TEST_F(Updates, WhatIsChangedInPlaceIsKeptAtHome) {
  const PlannedTask of = planned(updating_in_place(updating(), buffers_[1]));
  EXPECT_GT(groups_on(of, 0), 0);
  EXPECT_GT(groups_on(of, 1), 0);
  for (const Piece& piece : of.pieces) {
    EXPECT_EQ(piece.apart.empty(), piece.device == 0);
    EXPECT_EQ(in_place(piece.uses[1]), ByteRanges(piece.box.lo[1] * 4, piece.box.hi[1] * 4));
  }
  buffers_.places(1).make_home(1);
  expect_whole(planned(updating_in_place(updating(), buffers_[1])), kNoMemory);
}

TEST_F(Updates, KeepingIsPartOfTheTime) {
  machine_.platform.lat = 0.01;  // twice more than without: there, and home
  const PlannedTask of = planned(updating_in_place(updating(), buffers_[1]));
  // 0.1 s · x = 0.06 s + 0.1 s · (1 - x), of which the first copy may run beside other work
  EXPECT_NEAR(static_cast<double>(groups_on(of, 0)) / (4.0 * kGroups), 0.8, 0.03);
}

// Each work-group stores to one place that all share, and to elements of its own.
TEST_F(Updates, StoresOfOnePieceAloneAreNotMerged) {
  Task task = updating();
  task.kernel.uses_of = [root = buffers_[0], own = buffers_[1]](const compiler::GroupBox& box, size_t) {
    constexpr compiler::Update kOne{compiler::Update::Kind::store, 4, 1};
    const ByteRanges all(0, 4), bytes(box.lo[1] * 4, box.hi[1] * 4);
    BufferUses uses{{{{}, all, all, {{kOne, all}}}, root}, {{{}, bytes, bytes, {{kOne, bytes}}}, own}};
    if (box.lo[0] > 0 || box.hi[0] < 4) uses[1] = {{{}, all, all, {{kOne, all}}}, own};
    return uses;
  };
  const PlannedTask of = planned(std::move(task));
  EXPECT_GT(groups_on(of, 1), 0);
  for (const Piece& piece : of.pieces) {
    if (piece.device == 0) continue;
    ASSERT_EQ(piece.apart.size(), 1);
    EXPECT_EQ(piece.apart[0].root, buffers_[0]);
    EXPECT_EQ(piece.apart[0].updates[0].bytes, ByteRanges(0, 4));
    EXPECT_EQ(use_of(const_cast<Piece&>(piece).uses, buffers_[1]).writes,
              ByteRanges(piece.box.lo[1] * 4, piece.box.hi[1] * 4));
  }
}

TEST_F(Updates, WhatMayHaveToBeRepeatedStaysTogether) {
  machine_.can_fail = true;
  expect_whole(planned(updating()),
               "its work-groups update the same bytes, and a device that does so may be lost");
}

TEST_F(Updates, MergingIsPartOfTheTime) {
  machine_.platform.lat = 0.01;  // once to bring the copy, three times to make and merge it
  const PlannedTask of = planned(updating());
  // 0.1 s · x = 0.04 s + 0.1 s · (1 - x)
  EXPECT_NEAR(static_cast<double>(groups_on(of, 0)) / (4.0 * kGroups), 0.7, 0.02);
}

TEST_F(Updates, MergingThatTakesTooLongIsNotDone) {
  constexpr const char* kTooLong = "merging what its work-groups update takes longer than a split saves";
  machine_.platform.lat = 0.03;
  expect_whole(planned(updating()), kTooLong);
  machine_.platform.lat = 0.02;
  EXPECT_GT(groups_on(planned(updating()), 1), 0);
  machine_.platform.bw = static_cast<double>(kSize) / 0.01;
  expect_whole(planned(updating()), kTooLong);
}

TEST_F(Updates, APolicyThatIsNamedIsObeyed) {
  machine_.platform.lat = 0.03;
  machine_.regardless_of_gain = true;
  const auto cuts = policy_named("random-cuts:seed=3");
  machine_.policy = cuts.get();
  const PlannedTask of = planned(updating());
  EXPECT_GT(groups_on(of, 0), 0);
  EXPECT_GT(groups_on(of, 1), 0);
}

TEST_F(Updates, TheSlowestMergerIsLeftOut) {
  machine_ = machine_of(3, true, policy_.get());
  machine_.platform.links = {{2, 0, 1e10, 1.0}};
  const PlannedTask of = planned(updating({0.1, 0.1, 0.1}));
  EXPECT_GT(groups_on(of, 1), 0);
  EXPECT_EQ(groups_on(of, 2), 0);
}

}  // namespace
}  // namespace mkmd::planning
