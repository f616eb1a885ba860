// SPDX-License-Identifier: Apache-2.0
#include "tests/libinterpose/planning/windows.hpp"

#include <gtest/gtest.h>

#include <set>

namespace mkmd::planning {
namespace {

using namespace test;

class Planning : public testing::Test, protected RowWindows {};

uint64_t groups_on(const PlannedTask& of, int device) {
  uint64_t groups = 0;
  for (const Piece& piece : of.pieces)
    groups += piece.device == device ? piece.box.group_count() : 0;
  return groups;
}

TEST_F(Planning, EqualDevicesGetEqualShares) {
  const Plan made = plan(shared_, buffers_, {rows(0, 1)});
  ASSERT_TRUE(made.schedule);
  expect_partition(made.tasks[0]);
  EXPECT_NEAR(static_cast<double>(groups_on(made.tasks[0], 0)), 2 * kRows, 0.05 * kRows);
  EXPECT_EQ(made.tasks[0].cut, 1) << "pieces along dimension 0 would share rows";
}

TEST_F(Planning, TheQuickerDeviceGetsMore) {
  const Plan made = plan(shared_, buffers_, {rows(0, 1, {0.3, 0.1})});
  EXPECT_NEAR(static_cast<double>(groups_on(made.tasks[0], 1)), 3 * kRows, 0.1 * kRows);
}

TEST_F(Planning, WhatIsNotUnderstoodRunsWholeAtHome) {
  Task task = rows(0, 1);
  task.kernel.understood = false;
  task.seconds = {0.1, scheduler::kNever};
  const Plan made = plan(shared_, buffers_, {rows(2, 3), std::move(task)});
  ASSERT_EQ(made.tasks[1].pieces.size(), 1);
  EXPECT_EQ(made.tasks[1].pieces[0].device, 0);
  EXPECT_GT(made.tasks[0].pieces.size(), 1);
}

TEST_F(Planning, WorkGroupsThatTouchTheSameBytesStayTogether) {
  const Plan made = plan(shared_, buffers_, {scatter_kernel(buffers_[0], kSize, kRows, {0.1, 0.1})});
  EXPECT_EQ(made.tasks[0].pieces.size(), 1);
  EXPECT_EQ(made.tasks[0].cut, -1);
}

TEST_F(Planning, UpdatesThatCommuteAreSplitAmongDevicesThatMayDoThemTogether) {
  Machine machine = machine_of(3, false, policy_.get());
  machine.atomic_at_home = {true, false, true};
  const Plan made = plan(machine, buffers_, {updating_kernel(buffers_[0], kSize, kRows, {0.1, 0.1, 0.1})});
  expect_partition(made.tasks[0]);
  EXPECT_GT(groups_on(made.tasks[0], 0), 0);
  EXPECT_EQ(groups_on(made.tasks[0], 1), 0);
  EXPECT_GT(groups_on(made.tasks[0], 2), 0);
  EXPECT_TRUE(made.tasks[0].updates_together);
}

TEST_F(Planning, UpdatesStayTogetherWhereNothingIsKnownOfTheDevices) {
  const Plan made = plan(shared_, buffers_, {updating_kernel(buffers_[0], kSize, kRows, {0.1, 0.1})});
  EXPECT_EQ(made.tasks[0].pieces.size(), 1);
  EXPECT_STREQ(made.tasks[0].not_split,
               "its work-groups update the same bytes, and its devices share no memory and code");
}

TEST_F(Planning, UpdatesStayTogetherWhereTheyMayHaveToBeRepeated) {
  shared_.atomic_at_home = {true, true};
  shared_.can_fail = true;
  const Plan made = plan(shared_, buffers_, {updating_kernel(buffers_[0], kSize, kRows, {0.1, 0.1})});
  EXPECT_EQ(made.tasks[0].pieces.size(), 1);
  EXPECT_STREQ(made.tasks[0].not_split,
               "its work-groups update the same bytes, and a device that does so may be lost");
}

TEST_F(Planning, UpdatesOfBytesThatAreReadStayTogether) {
  shared_.atomic_at_home = {true, true};
  Task task = updating_kernel(buffers_[0], kSize, kRows, {0.1, 0.1});
  task.kernel.uses_of = [uses_of = task.kernel.uses_of](const compiler::GroupBox& box, size_t most) {
    BufferUses uses = uses_of(box, most);
    if (box.lo[1] == 0) uses[0].updates[0].bytes.subtract({8, 12});  // work-group 0 reads them
    return uses;
  };
  const Plan made = plan(shared_, buffers_, {std::move(task)});
  EXPECT_EQ(made.tasks[0].pieces.size(), 1);
  EXPECT_EQ(made.tasks[0].cut, -1);
}

TEST_F(Planning, UpdatesOfItsOwnBytesNeedNoSharedMemory) {
  Task task = rows(0, 0);
  task.kernel.uses_of = [uses_of = task.kernel.uses_of](const compiler::GroupBox& box, size_t most) {
    BufferUses uses = uses_of(box, most);
    uses[0].updates = {{kAdd, uses[0].writes}};
    return uses;
  };
  const Plan made = plan(separate_, buffers_, {std::move(task)});
  EXPECT_GT(groups_on(made.tasks[0], 1), 0);
}

TEST_F(Planning, ADimensionRememberedForUpdatesIsProvedAnew) {
  shared_.atomic_at_home = {true, true};
  CutMemory cuts;
  Task task = updating_kernel(buffers_[0], kSize, kRows, {0.1, 0.1});
  (void)plan(shared_, buffers_, {task}, Purpose::speed, &cuts);
  ASSERT_GE(cuts.dimension(task), 0);
  Task scatters = scatter_kernel(buffers_[0], kSize, kRows, {0.1, 0.1});
  scatters.kernel.number = task.kernel.number;
  const Plan made = plan(shared_, buffers_, {std::move(scatters)}, Purpose::speed, &cuts);
  EXPECT_EQ(made.tasks[0].pieces.size(), 1);
}

TEST_F(Planning, WhatIsShownOfOneLaunchSaysNothingOfTheNext) {
  CutMemory cuts;
  for (const bool apart : {false, true, false, true}) {
    Task task = scatter_kernel(buffers_[0], kSize, kRows, {0.1, 0.1}, apart);
    const Plan made = plan(shared_, buffers_, {std::move(task)}, Purpose::speed, &cuts);
    EXPECT_EQ(made.tasks[0].pieces.size() > 1, apart);
  }
}

TEST_F(Planning, ADimensionRememberedFromAnotherBufferIsProvedAnew) {
  CutMemory cuts;
  (void)plan(shared_, buffers_, {rows(0, 1)}, Purpose::speed, &cuts);
  ASSERT_EQ(cuts.dimension(rows(0, 1)), 1);
  // The same kernel, now in place and with a halo: pieces would read what others write.
  const Plan made = plan(shared_, buffers_, {rows(2, 2, {0.1, 0.1}, kRow)}, Purpose::speed, &cuts);
  EXPECT_EQ(made.tasks[0].pieces.size(), 1);
  EXPECT_STREQ(made.tasks[0].not_split, "its pieces touch the same bytes");
  EXPECT_EQ(cuts.dimension(rows(0, 1)), -1);
}

TEST_F(Planning, CutsMoveOnlyIfThatIsWorthIt) {
  CutMemory cuts;
  const Plan first = plan(shared_, buffers_, {rows(0, 1, {0.1, 0.1})}, Purpose::speed, &cuts);
  const Plan second = plan(shared_, buffers_, {rows(0, 1, {0.1, 0.102})}, Purpose::speed, &cuts);
  const Plan third = plan(shared_, buffers_, {rows(0, 1, {0.1, 0.2})}, Purpose::speed, &cuts);
  EXPECT_EQ(groups_on(first.tasks[0], 0), groups_on(second.tasks[0], 0));
  EXPECT_LT(groups_on(first.tasks[0], 0), groups_on(third.tasks[0], 0));
}

TEST_F(Planning, LaunchesThatLoseTimeAreNotOfferedToThePolicy) {
  for (const timing::Reason reason : {timing::Reason::lost_before, timing::Reason::explored_enough}) {
    Task loser = rows(0, 1);
    loser.kernel.decision = {timing::Verdict::native, reason};
    const Plan alone = plan(shared_, buffers_, {loser});
    EXPECT_FALSE(alone.schedule);
    EXPECT_EQ(alone.tasks[0].pieces.size(), 1);
    EXPECT_STREQ(alone.tasks[0].not_split, to_string(reason));
    const Plan beside = plan(shared_, buffers_, {loser, rows(2, 3, {0.4, 0.4})});
    EXPECT_TRUE(beside.schedule);
    EXPECT_EQ(beside.tasks[0].pieces.size(), 1);
    EXPECT_GT(beside.tasks[1].pieces.size(), 1);
  }
}

TEST_F(Planning, ToLearnHomesTimesEverythingRunsThere) {
  const Plan made = plan(shared_, buffers_, {rows(0, 1)}, Purpose::home_times);
  EXPECT_FALSE(made.schedule);
  ASSERT_EQ(made.tasks[0].pieces.size(), 1);
  EXPECT_STREQ(made.tasks[0].not_split, "this launch was to show how long home takes");
}

TEST_F(Planning, WhatIsDoneAgainIsDoneAtHome) {
  Task task = rows(0, 1);
  task.kernel.redo = {{{0, 10, 0}, {4, 20, 1}}, {{0, 500, 0}, {4, 600, 1}}};
  const Plan made = plan(separate_, buffers_, {std::move(task)});
  ASSERT_EQ(made.tasks[0].pieces.size(), 2);
  EXPECT_EQ(groups_on(made.tasks[0], 0), 4 * 110);
  EXPECT_NEAR(made.tasks[0].task.at_home, 0.1 * 110 / kRows, 1e-9);
}

TEST_F(Planning, OneDeviceThatUsesUpTheBandwidthIsLeftAlone) {
  shared_.platform.memories = {{0, 1e10, 1.05e10}};
  Task task = rows(0, 1, {8e-4, 8e-4});  // 8 MiB, at 10 GB/s
  const Plan made = plan(shared_, buffers_, {task});
  EXPECT_EQ(made.tasks[0].pieces.size(), 1);
  EXPECT_STREQ(made.tasks[0].not_split, "one device alone nearly uses up the memory's bandwidth");
  shared_.cache = 1e9;
  EXPECT_GT(plan(shared_, buffers_, {task}).tasks[0].pieces.size(), 1) << "caches hold it";
  shared_.cache = 0;
  task.kernel.together = {1.0, 1.0};
  EXPECT_GT(plan(shared_, buffers_, {task}).tasks[0].pieces.size(), 1) << "profiled: nobody loses";
}

TEST_F(Planning, LongWholeLaunchesRunOnTheWholeDevice) {
  Machine machine = machine_of(2, false, policy_.get());
  machine.home = 2;
  machine.home_is_whole = machine.home_is_sum = true;
  Task task = scatter_kernel(buffers_[0], kSize, kRows, {0.1, 0.1});
  task.at_home = 0.05;
  const Plan made = plan(machine, buffers_, {std::move(task), rows(1, 2)});
  ASSERT_EQ(made.tasks[0].pieces.size(), 1);
  EXPECT_EQ(made.tasks[0].pieces[0].device, 2);
  EXPECT_EQ(groups_on(made.tasks[1], 2), 0);
}

TEST_F(Planning, AFillIsMadeWhereItIsNeeded) {
  Task fill = transfer(CommandKind::fill, nullptr, buffers_[0], 0, kSize, 2);
  fill.follows_bytes = true;
  fill.seconds = {1e-3, 1e-3};
  const Plan made = plan(separate_, buffers_, {std::move(fill), rows(0, 1)});
  ASSERT_GT(made.tasks[1].pieces.size(), 1);
  std::set<int> devices;
  for (const Wanted& wanted : made.tasks[0].wanted)
    devices.insert(wanted.device);
  EXPECT_EQ(devices, (std::set<int>{0, 1}));
}

TEST_F(Planning, ACopyWantsItsSourceWhereItsResultIsNeeded) {
  Task first = transfer(CommandKind::copy, buffers_[0], buffers_[1], 0, kSize, 2);
  Task second = transfer(CommandKind::copy, buffers_[1], buffers_[2], 0, kSize, 2);
  for (Task* copy : {&first, &second}) {
    copy->follows_bytes = true;
    copy->seconds = {1e-3, 1e-3};
  }
  const Plan made = plan(separate_, buffers_, {std::move(first), std::move(second), rows(2, 3)});
  ASSERT_GT(made.tasks[2].pieces.size(), 1);
  for (size_t i = 0; i < 2; ++i) {
    std::set<int> devices;
    for (const Wanted& wanted : made.tasks[i].wanted)
      devices.insert(wanted.device);
    EXPECT_EQ(devices, (std::set<int>{0, 1})) << i;
  }
}

TEST_F(Planning, WithoutAPolicyEverythingRunsAtHome) {
  shared_.policy = nullptr;
  EXPECT_EQ(plan(shared_, buffers_, {rows(0, 1)}).tasks[0].pieces.size(), 1);
}

TEST_F(Planning, APolicyThatRefusesLeavesEverythingAtHome) {
  struct Refusing : scheduler::Policy {
    Result<scheduler::Schedule> schedule(const scheduler::Problem&,
                                         const scheduler::Options&) const override {
      return Status::internal("no");
    }
  } refusing;
  shared_.policy = &refusing;
  const Plan made = plan(shared_, buffers_, {rows(0, 1)});
  EXPECT_EQ(made.trouble, "no");
  EXPECT_EQ(made.tasks[0].pieces.size(), 1);
}

class Keeping : public Planning {
protected:
  Plan keep(std::vector<uint64_t> words) {
    Plan made = plan(separate_, buffers_, {rows(0, 1)});
    made.identity.words = std::move(words);
    return made;
  }
  bool holds(const Plan& kept, Task task) {
    std::vector<Task> tasks;
    tasks.push_back(std::move(task));
    return still_holds(kept, tasks, separate_, buffers_.lookup());
  }
};

TEST_F(Keeping, APlanIsForWindowsLikeItsOwn) {
  KeptPlans plans;
  plans.keep(keep({1, 2, 3}));
  EXPECT_FALSE(plans.take({{1, 2}, {}}));
  EXPECT_FALSE(plans.take({}));
  const std::optional<Plan> taken = plans.take({{1, 2, 3}, {}});
  ASSERT_TRUE(taken);
  EXPECT_TRUE(taken->kept);
  EXPECT_FALSE(plans.take({{1, 2, 3}, {}})) << "whoever takes it keeps it again";
}

TEST_F(Keeping, TheLastFewAreKept) {
  KeptPlans plans;
  for (uint64_t i = 0; i < 5; ++i)
    plans.keep(keep({i}));
  EXPECT_FALSE(plans.take({{0}, {}}));
  EXPECT_TRUE(plans.take({{1}, {}}));
}

TEST_F(Keeping, PlansThatSayTheyMayNotAreNot) {
  KeptPlans plans;
  Plan made = keep({1});
  made.may_keep = false;
  plans.keep(std::move(made));
  EXPECT_FALSE(plans.take({{1}, {}}));
}

TEST_F(Keeping, APlanHoldsAsLongAsTimesDo) {
  const Plan kept = keep({1});
  EXPECT_TRUE(holds(kept, rows(0, 1)));
  EXPECT_TRUE(holds(kept, rows(0, 1, {0.101, 0.1})));
  EXPECT_FALSE(holds(kept, rows(0, 1, {0.103, 0.1})));
  EXPECT_FALSE(holds(kept, rows(0, 1, {0.1, scheduler::kNever})));
  Task task = rows(0, 1);
  task.kernel.decision = {timing::Verdict::native, timing::Reason::lost_before};
  EXPECT_FALSE(holds(kept, std::move(task)));
  task = rows(0, 1);
  task.kernel.decision = {timing::Verdict::explore, timing::Reason::retry};
  EXPECT_FALSE(holds(kept, std::move(task)));
}

TEST_F(Keeping, APlanHoldsAsLongAsTheBytesLieWhereTheyLay) {
  const Plan kept = keep({1});
  buffers_.places(2).add_valid(1, {0, kSize});
  EXPECT_TRUE(holds(kept, rows(0, 1))) << "another buffer";
  buffers_.places(0).add_valid(1, {0, kRow});
  EXPECT_FALSE(holds(kept, rows(0, 1)));
}

// Whatever the policy, and whatever the window.
class RandomWindows : public testing::TestWithParam<std::string> {};

TEST_P(RandomWindows, PlansAreWholeSafeAndTheSameTwice) {
  const std::unique_ptr<scheduler::Policy> policy = policy_named(GetParam());
  ASSERT_NE(policy, nullptr);
  for (unsigned seed = 0; seed < 60; ++seed) {
    const RandomWindow random(seed, policy.get());
    const Machine& machine = random.machine;
    Buffers& buffers = *random.buffers;
    const std::vector<Task>& window = random.window;
    const Plan first = plan(machine, buffers, window);
    const Plan second = plan(machine, buffers, window);
    std::set<size_t> places;
    for (size_t i = 0; i < window.size(); ++i) {
      const PlannedTask& of = first.tasks[i];
      if (of.pieces.empty()) places.insert(of.order);
      for (const Piece& piece : of.pieces)
        places.insert(piece.order);
      if (!of.task.is_kernel()) continue;
      expect_partition(of);
      EXPECT_TRUE(split_is_safe(of, machine)) << seed;
      ASSERT_EQ(of.pieces.size(), second.tasks[i].pieces.size()) << seed;
      for (size_t p = 0; p < of.pieces.size(); ++p) {
        EXPECT_EQ(of.pieces[p].device, second.tasks[i].pieces[p].device);
        EXPECT_EQ(of.pieces[p].box, second.tasks[i].pieces[p].box);
        EXPECT_TRUE(of.pieces[p].apart.empty() || machine.domain_of(of.pieces[p].device) != 0);
      }
    }
    EXPECT_EQ(places.size(), first.orders) << "every piece has a place of its own";
    EXPECT_EQ(*places.rbegin(), first.orders - 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, RandomWindows,
                         testing::Values("mkmd", "mkmd-slices", "mkmd-malleable", "heft",
                                         "random-cuts:seed=3"),
                         [](const auto& of) {
                           std::string name = of.param.substr(0, of.param.find(':'));
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace mkmd::planning
