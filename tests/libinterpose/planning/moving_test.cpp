// SPDX-License-Identifier: Apache-2.0
// Plans of launches that run whole on another device than home.
#include "tests/libinterpose/planning/windows.hpp"

#include <gtest/gtest.h>

namespace mkmd::planning {
namespace {

using namespace test;

class Moving : public testing::Test, protected RowWindows {};

// It takes 0.1 seconds there.
Task moved_to(int device, Task task, timing::Reason reason) {
  task.kernel.decision = {timing::Verdict::move, reason};
  task.kernel.predicted.elsewhere = 0.1;
  move_whole(task, device);
  return task;
}

TEST_F(Moving, LaunchesThatMoveRunWholeWhereTheyAreQuickest) {
  const Plan made =
      plan(shared_, buffers_, {moved_to(1, rows(0, 1, {0.4, 0.1}), timing::Reason::lost_before)});
  ASSERT_EQ(made.tasks[0].pieces.size(), 1);
  EXPECT_EQ(made.tasks[0].pieces[0].device, 1);
  EXPECT_EQ(made.only_device, 1);
}

TEST_F(Moving, AShortLaunchMovesAlsoBesideOneThatStaysAtHome) {
  Task stays = rows(2, 3);
  stays.kernel.decision = {timing::Verdict::native, timing::Reason::lost_before};
  const Plan made =
      plan(shared_, buffers_, {moved_to(1, rows(0, 1, {0.4, 0.1}), timing::Reason::too_short), stays});
  ASSERT_EQ(made.tasks[0].pieces.size(), 1);
  EXPECT_EQ(made.tasks[0].pieces[0].device, 1);
  ASSERT_EQ(made.tasks[1].pieces.size(), 1);
  EXPECT_EQ(made.tasks[1].pieces[0].device, 0);
}

// Home is the whole of devices 0 and 1.
TEST_F(Moving, ALaunchMovesAwayFromAHomeThatHasParts) {
  Machine machine = machine_of(3, false, policy_.get());
  machine.home = 3;
  machine.home_is_whole = true;
  Task task = moved_to(2, rows(0, 1, {0.4, 0.4, 0.1}), timing::Reason::lost_before);
  task.kernel.long_at_home = true;
  const Plan made = plan(machine, buffers_, {std::move(task)});
  ASSERT_EQ(made.tasks[0].pieces.size(), 1);
  EXPECT_EQ(made.tasks[0].pieces[0].device, 2);
}

}  // namespace
}  // namespace mkmd::planning
