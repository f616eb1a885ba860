// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/planning/turns.hpp"

#include "tests/libinterpose/planning/windows.hpp"

#include <gtest/gtest.h>

namespace mkmd::planning::test {
namespace {

constexpr uint64_t kRows = 1024;
constexpr uint64_t kRow = 4096;  // bytes

// Two drivers on the same cores, with memories of their own, and one kernel on two buffers.
class Turns : public testing::Test {
protected:
  Task kernel(double first, double second, int samples = 3) {
    Task task = rows_kernel(buffers[0], buffers[1], kRows, kRow, {first, second});
    task.kernel.experience.samples = {3, samples};
    task.kernel.experience.first_has_run = true;
    return task;
  }
  Plan plan(std::vector<Task> tasks) {
    several_teams = take_turns(tasks, machine, buffers.lookup(), cuts, rivalry, 1.0);
    Planner planner(machine, buffer_of, cuts, Purpose::speed);
    for (Task& task : tasks)
      planner.add(std::move(task));
    return std::move(planner).make(true);
  }

  std::unique_ptr<scheduler::Policy> policy = policy_named("mkmd");
  Machine machine = machine_of(2, true, policy.get());
  Buffers buffers{2, kRows* kRow, 2};
  BufferOf buffer_of = buffers.lookup();
  CutMemory cuts;
  timing::RegretBudget budget;
  timing::Rivalry rivalry{{1, 2}, budget};
  bool several_teams = false;
};

TEST_F(Turns, AKernelRunsOnOneOfThem) {
  const Plan made = plan({kernel(5e-3, 5e-3)});
  ASSERT_EQ(made.tasks[0].pieces.size(), 1);
  EXPECT_EQ(made.tasks[0].pieces[0].device, 0);
  EXPECT_FALSE(made.one_at_a_time);
}

TEST_F(Turns, AndOnTheQuickerWhereThatPaysForItsData) {
  EXPECT_EQ(plan({kernel(50e-3, 5e-3)}).tasks[0].pieces[0].device, 1);
}

TEST_F(Turns, ButTheFirstRunsEachKernelBefore) {
  Task task = kernel(50e-3, 5e-3);
  task.kernel.experience.first_has_run = false;
  EXPECT_EQ(plan({task}).tasks[0].pieces[0].device, 0);
}

TEST_F(Turns, OfAKernelThatIsKnownOnlyTheFirstLaunch) {
  Task task = kernel(50e-3, 5e-3);
  task.kernel.experience.first_has_run = false;
  const Plan made = plan({task, task, kernel(50e-3, 5e-3)});
  EXPECT_EQ(made.tasks[0].pieces[0].device, 0);
  EXPECT_EQ(made.tasks[1].pieces[0].device, 1);
  EXPECT_FALSE(made.may_keep);
  EXPECT_TRUE(several_teams);
  task.kernel.experience.samples = {0, 0};
  const Plan unknown = plan({task, task});
  EXPECT_EQ(unknown.tasks[0].pieces[0].device, 0);
  EXPECT_EQ(unknown.tasks[1].pieces[0].device, 0) << "predictions alone move nothing";
}

TEST_F(Turns, BytesTheHostHasJustWrittenAreNotThere) {
  buffers.places(0).add_valid(1, {0, kRows * kRow});
  buffers.places(1).add_valid(1, {0, kRows * kRow});
  // 4 MiB at 10 GB/s: 0.42 ms.
  EXPECT_EQ(
      plan({transfer(CommandKind::write, nullptr, buffers[0], 0, kRows * kRow, 2), kernel(1.3e-3, 1e-3)})
          .tasks[1]
          .pieces[0]
          .device,
      0);
  EXPECT_EQ(plan({kernel(1.3e-3, 1e-3)}).tasks[0].pieces[0].device, 1);
}

TEST_F(Turns, ASampleIsASmallPieceWhileNothingElseRuns) {
  cuts.set_dimension(kernel(5e-3, 5e-3, 0), 1);
  const Plan made = plan({kernel(5e-3, 5e-3, 0)});
  ASSERT_EQ(made.tasks[0].pieces.size(), 2);
  const Piece& sample = made.tasks[0].pieces[0];
  EXPECT_EQ(sample.device, 1);
  EXPECT_GT(sample.box.group_count(), 0u);
  EXPECT_LT(sample.box.group_count(), made.tasks[0].task.kernel.group_count() / 2);
  EXPECT_EQ(made.tasks[0].pieces[1].device, 0);
  EXPECT_EQ(sample.box.group_count() + made.tasks[0].pieces[1].box.group_count(),
            made.tasks[0].task.kernel.group_count());
  EXPECT_TRUE(made.one_at_a_time);
  EXPECT_FALSE(made.may_keep);
}

TEST_F(Turns, WhatCannotBeDividedTakesNothingFromTheBudget) {
  Task scatter = scatter_kernel(buffers[0], kRows * kRow, 64, {5e-3, 5e-3});
  scatter.kernel.experience.samples = {3, 0};
  cuts.set_dimension(kernel(5e-3, 5e-3, 0), 1);
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(plan({scatter}).tasks[0].pieces.size(), 1);
  EXPECT_EQ(plan({scatter, kernel(5e-3, 5e-3, 0)}).tasks[1].pieces.size(), 2);
}

TEST_F(Turns, OneKernelOfAWindowIsSampled) {
  cuts.set_dimension(kernel(5e-3, 5e-3, 0), 1);
  const Plan made = plan({kernel(5e-3, 5e-3, 0), kernel(5e-3, 5e-3, 0)});
  EXPECT_EQ(made.tasks[0].pieces.size(), 2);
  EXPECT_EQ(made.tasks[1].pieces.size(), 1);
}

TEST_F(Turns, ShortLaunchesThatAreCapturedForItMoveToo) {
  for (int i = 0; i < 2; ++i)
    buffers.places(i).add_valid(1, {0, kRows * kRow});
  Task task = kernel(50e-6, 5e-6);
  task.kernel.decision = {timing::Verdict::native, timing::Reason::too_short};
  EXPECT_EQ(plan({task}).tasks[0].pieces[0].device, 0);
  task.kernel.decision = {timing::Verdict::move, timing::Reason::too_short};
  const Plan made = plan({task});
  EXPECT_EQ(made.tasks[0].pieces[0].device, 1);
  EXPECT_EQ(made.only_device, 1);
  EXPECT_FALSE(made.schedule) << "there is nothing to choose";
}

TEST_F(Turns, AWindowWithASampleIsNoDevicesAlone) {
  cuts.set_dimension(kernel(5e-3, 5e-3, 0), 1);
  EXPECT_EQ(plan({kernel(5e-3, 5e-3, 0)}).only_device, -1);
}

TEST_F(Turns, WhatMayRunNowhereElseKeepsItsDevice) {
  Task only_here = kernel(5e-3, scheduler::kNever);
  const Plan made = plan({kernel(100e-3, 5e-3), std::move(only_here)});
  EXPECT_EQ(made.tasks[0].pieces[0].device, 1);
  EXPECT_EQ(made.tasks[1].pieces[0].device, 0);
}

}  // namespace
}  // namespace mkmd::planning::test
