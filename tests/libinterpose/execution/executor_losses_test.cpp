// SPDX-License-Identifier: Apache-2.0
// A real device is lost: its commands never end, and nobody calls back.
#include "tests/libinterpose/execution/executor_fixture.hpp"

namespace mkmd {
namespace {

using testing::UnorderedElementsAre;

// Home, and two devices with memories of their own.
class LostDevice : public ExecutorTest {
protected:
  LostDevice() { make({0, 1, 2}, {.makes_losses_good = true}); }
  ~LostDevice() override { drop(); }  // else what never ends is kept by what it waits for
  void lose(int domain) { devices_->gone |= 1u << domain; }
  std::vector<Ref<ActionOwner>> drop() {
    const std::lock_guard lock(executor_->mutex());
    return executor_->drop_unfinished();
  }
};

TEST_F(LostDevice, IsNotWaitedFor) {
  const auto lost = action(1), behind = action(1), other = action(2);
  behind->wait_for(*lost);
  for (const auto& a : {lost, behind, other})
    push(a);
  pump();
  lose(1);
  finish();
  EXPECT_THAT(completed_, ElementsAre(other.get()));
  EXPECT_FALSE(executor_->gate().is_halted()) << "nobody has asked yet";
  executor_->ask_devices();
  EXPECT_THAT(lost_, UnorderedElementsAre(lost.get(), behind.get()));
  EXPECT_TRUE(lost->driver.begun);
  EXPECT_EQ(halts_, 1);
}

TEST_F(LostDevice, WhatItRefusesIsNotDoneAgainAtHome) {
  const auto refused = action(1);
  lose(1);
  push(refused);
  finish();
  EXPECT_THAT(lost_, ElementsAre(refused.get()));
  EXPECT_FALSE(refused->driver.begun);
  EXPECT_EQ(halts_, 1);
  EXPECT_EQ(works_, 0);
  EXPECT_EQ(executor_->failed(), CL_SUCCESS);
}

TEST_F(LostDevice, WhatOthersHaveUnderWayGoesOnToItsEnd) {
  const auto lost = action(1), other = action(2), next = action(2, 1);
  next->wait_for(*lost);
  push(lost), push(other), push(next);
  pump();
  lose(1);
  executor_->ask_devices();
  EXPECT_TRUE(executor_->gate().is_halted());
  EXPECT_EQ(halts_, 0);
  const auto later = action(0);
  push(later);
  finish();
  EXPECT_THAT(completed_, ElementsAre(other.get()));
  EXPECT_EQ(halts_, 1);
  executor_->ask_devices();
  EXPECT_EQ(halts_, 1);
}

TEST_F(LostDevice, ATransferFromItIsLost) {
  const auto from = copy(1, 0), elsewhere = copy(2, 0, 1);
  lose(1);
  executor_->devices().look_after(*transfers_[1]);
  script(from).refused = CL_DEVICE_NOT_AVAILABLE;
  push(from);
  work();
  EXPECT_THAT(lost_, ElementsAre(from.get()));
  push(elsewhere);
  finish();
  EXPECT_FALSE(elsewhere->complete());
}

TEST_F(LostDevice, EverythingUnfinishedIsDropped) {
  const auto lost = action(1), behind = action(1), waits = action(0, 1), ready = action(0, 2);
  behind->wait_for(*lost);
  waits->wait_for(*behind);
  for (const auto& a : {lost, behind, waits})
    push(a);
  pump();
  lose(1);
  executor_->ask_devices();
  push(ready);
  EXPECT_EQ(drop().size(), 4u);
  for (const auto& a : {lost, behind, waits, ready}) {
    EXPECT_TRUE(a->complete());
    EXPECT_EQ(a->status, CL_OUT_OF_RESOURCES);
    EXPECT_TRUE(a->edges.chained.empty() && a->edges.followers.empty() && a->edges.on_complete.empty())
        << "nothing is kept";
  }
  EXPECT_THAT(completed_, IsEmpty());
  {
    const std::lock_guard lock(executor_->mutex());
    executor_->gate().resume();
  }
  const auto again = action(2);
  push(again);
  finish();
  EXPECT_THAT(completed_, ElementsAre(again.get()));
}

TEST_F(LostDevice, TheProgramsOwnCommandsAreNotDropped) {
  const Ref<Action> native(
      new Action(executor_->lanes().program(), nullptr, [](const auto&) { return Action::Outcome{}; }));
  const auto behind = action(1);
  behind->wait_for(*native);
  script(native).takes = FakeDevices::kForEver;
  push(native), push(behind);
  pump();
  EXPECT_EQ(drop().size(), 1u);
  EXPECT_FALSE(native->complete());
  EXPECT_TRUE(native->edges.on_complete.empty());
  script(native).takes = kMilli;
  finish();
  EXPECT_TRUE(native->complete());
}

// It may have written half of it, in a memory that is still there.
TEST_F(LostDevice, WhatWaitsForItsRepairHasBegun) {
  const auto fails = action(2), slow = action(2), lost = action(1);
  slow->wait_for(*fails);
  script(fails).fails = CL_OUT_OF_RESOURCES;
  script(slow).late = true;
  script(lost).takes = FakeDevices::kForEver;
  for (const auto& a : {fails, slow, lost})
    push(a);
  finish();
  EXPECT_THAT(completed_, IsEmpty());
  lose(1);
  executor_->ask_devices();
  devices_->wait(10'000'000'000);
  executor_->ask_devices();
  finish();
  ASSERT_EQ(halts_, 1);
  drop();
  EXPECT_TRUE(fails->driver.begun);
  EXPECT_THAT(lost_, testing::IsSupersetOf({lost.get(), fails.get()}));
  EXPECT_EQ(works_, 3) << "nothing was done again";
}

TEST_F(LostDevice, WhatHasEndedBeforeIsComplete) {
  const auto late = action(1);
  script(late).late = true;
  push(late);
  finish();  // it has ended, and nobody was told
  lose(1);
  executor_->ask_devices();
  finish();
  devices_->tell_late();
  finish();
  EXPECT_THAT(completed_, ElementsAre(late.get()));
  EXPECT_EQ(late->status, CL_SUCCESS);
  EXPECT_THAT(lost_, IsEmpty());
}

}  // namespace
}  // namespace mkmd
