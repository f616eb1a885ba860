// SPDX-License-Identifier: Apache-2.0
// What becomes of actions that devices refuse, fail at, never start, or lose.
#include "tests/libinterpose/execution/executor_fixture.hpp"

namespace mkmd {
namespace {

TEST_F(ExecutorTest, DoesAgainAtHomeWhatAHelperRefuses) {
  make({0, 0});
  const auto piece = action(1), after = action(1);
  after->wait_for(*piece);
  script(piece).refused = CL_OUT_OF_RESOURCES;
  push(piece), push(after);
  finish();
  EXPECT_THAT(completed_, ElementsAre(piece.get(), after.get()));
  EXPECT_EQ(piece->status, CL_SUCCESS);
  EXPECT_EQ(piece->lane, &executor_->lanes().repair());
  EXPECT_EQ(after->lane, executor_->lanes().compute()[1]);
  EXPECT_GE(after->times.started, piece->times.ended);
  EXPECT_EQ(executor_->failed(), CL_SUCCESS);
  EXPECT_EQ(devices_->troubles.size(), 1u);
}

TEST_F(ExecutorTest, DoesAgainWhatWasGivenBehindAFailure) {
  make({0, 0});
  const auto failing = action(1), behind = action(1), other = action(0);
  behind->wait_for(*failing);
  script(failing).fails = CL_INVALID_VALUE;
  push(failing), push(behind), push(other);
  finish();
  // The device says nothing of what comes behind a failed command.
  EXPECT_THAT(completed_, ElementsAre(other.get()));
  devices_->wait(2'000'000'000);
  executor_->ask_devices();
  executor_->take_posts();
  EXPECT_THAT(completed_, ElementsAre(other.get(), failing.get(), behind.get()));
  for (const auto& again : {failing, behind}) {
    EXPECT_EQ(again->lane, &executor_->lanes().repair());
    EXPECT_EQ(again->status, CL_SUCCESS);
  }
  EXPECT_GE(behind->times.started, failing->times.ended);
}

TEST_F(ExecutorTest, AsksOfActionsThatNobodyHearsOf) {
  make({0, 0});
  const auto silent = action(1), after = action(0);
  script(silent).silent = true;
  after->wait_for(*silent);
  push(silent), push(after);
  finish();
  EXPECT_FALSE(silent->complete());
  executor_->ask_devices();
  EXPECT_TRUE(executor_->take_posts());
  EXPECT_TRUE(silent->complete());
  EXPECT_TRUE(after->complete());
  executor_->ask_devices();
  EXPECT_FALSE(executor_->take_posts());
}

TEST_F(ExecutorTest, AnActionBehindARecentFailureMayStillStart) {
  make({0, 0});
  const auto failing = action(1), behind = action(1);
  behind->wait_for(*failing);
  script(failing).fails = CL_INVALID_VALUE;
  push(failing), push(behind);
  finish();
  executor_->ask_devices();
  executor_->take_posts();
  EXPECT_FALSE(behind->complete());
  devices_->wait(2'000'000'000);
  executor_->ask_devices();
  executor_->take_posts();
  EXPECT_TRUE(behind->complete());
}

TEST_F(ExecutorTest, AFailureAtHomeFailsAllLaterActions) {
  make({0, 0});
  const auto at_home = action(0), later = action(1);
  script(at_home).fails = CL_INVALID_VALUE;
  push(at_home);
  finish();
  EXPECT_EQ(at_home->status, CL_INVALID_VALUE);
  EXPECT_EQ(executor_->failed(), CL_INVALID_VALUE);
  push(later);
  finish();
  EXPECT_TRUE(later->complete());
  EXPECT_EQ(later->status, CL_INVALID_VALUE);
  EXPECT_EQ(works_, 1);
}

// What became of a command of the program, behind which captured work begins, is the program's business. That
// all of them are over is ours, and no device hears of them.
TEST_F(ExecutorTest, WaitsForTheProgramsOwnCommandsWhateverBecameOfThem) {
  make({0, 0});
  const auto of_program = [&] {
    return Ref<Action>(new Action(executor_->lanes().program(), nullptr,
                                  [](const std::vector<cl_event>&) { return Action::Outcome{}; }));
  };
  const auto failed = of_program(), other = of_program(), entry = of_program();
  const auto at_home = action(0), at_helper = action(1);
  script(failed).fails = CL_INVALID_VALUE;
  script(other).takes = 5 * kMilli;
  for (const auto& end : {failed, other})
    entry->wait_for(*end);
  for (const auto& piece : {at_home, at_helper}) {
    piece->uses = {{{ByteRanges(0, 8), ByteRanges(0, 8), ByteRanges(0, 8)}, buffer(1)}};
    piece->wait_for(*entry);
  }
  at_helper->wait_for(*at_home);
  for (const auto& a : {failed, other, entry, at_home, at_helper})
    push(a);
  finish();
  EXPECT_THAT(completed_,
              ElementsAre(failed.get(), other.get(), entry.get(), at_home.get(), at_helper.get()));
  EXPECT_GE(at_home->times.started, other->times.ended);
  EXPECT_EQ(at_home->status, CL_SUCCESS);
  EXPECT_EQ(at_helper->status, CL_SUCCESS);
  EXPECT_EQ(executor_->failed(), CL_SUCCESS);
  EXPECT_THAT(devices_->troubles, IsEmpty());
}

// It read what it has written itself, perhaps.
TEST_F(ExecutorTest, GivesUpWhereBytesAreGone) {
  make({0, 0});
  const auto piece = action(1);
  piece->uses = {{{ByteRanges(0, 8), ByteRanges(0, 8), ByteRanges(0, 8)}, buffer(1)}};
  script(piece).fails = CL_INVALID_VALUE;
  push(piece);
  finish();
  EXPECT_TRUE(piece->complete());
  EXPECT_EQ(piece->status, CL_INVALID_VALUE);
  EXPECT_EQ(executor_->failed(), CL_INVALID_VALUE);
}

TEST_F(ExecutorTest, WhatHasNotBegunCanAlwaysBeDoneAgain) {
  make({0, 0});
  const auto piece = action(1);
  piece->uses = {{{ByteRanges(0, 8), ByteRanges(0, 8), ByteRanges(0, 8)}, buffer(1)}};
  script(piece).refused = CL_INVALID_VALUE;
  push(piece);
  finish();
  EXPECT_EQ(piece->status, CL_SUCCESS);
  EXPECT_EQ(executor_->failed(), CL_SUCCESS);
}

TEST_F(ExecutorTest, DoesNotCompileWhereDriversMayNot) {
  make({0, 0});
  devices_->compiles = false;
  const auto piece = action(1);
  script(piece).refused = CL_INVALID_VALUE;
  push(piece);
  finish();
  EXPECT_EQ(executor_->failed(), CL_INVALID_VALUE);
}

TEST_F(ExecutorTest, NothingRunsBehindATransferThatFails) {
  for (const bool makes_losses_good : {false, true}) {
    works_ = 0;
    transfers_.clear();
    make({0, 1}, {.makes_losses_good = makes_losses_good});
    const auto transfer = copy(0, 1), reader = action(1), later = action(1);
    script(transfer).fails = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    reader->wait_for(*transfer);
    later->wait_for(*reader);
    push(transfer), push(reader), push(later);
    finish();
    EXPECT_EQ(reader->status, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    EXPECT_EQ(later->status, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    EXPECT_EQ(executor_->failed(), CL_MEM_OBJECT_ALLOCATION_FAILURE);
    EXPECT_EQ(works_, 1);  // the transfer
  }
}

TEST_F(ExecutorTest, NothingElseWaitsForACommandThatNeverEnds) {
  make({0, 1});
  const auto endless = action(1), behind = action(1), after = action(0), other = action(0);
  script(endless).takes = FakeDevices::kForEver;
  after->wait_for(*endless);
  for (const auto& a : {endless, behind, after, other})
    push(a);
  finish();
  devices_->wait(10'000'000'000);
  executor_->ask_devices();
  EXPECT_FALSE(executor_->take_posts()) << "it is under way still";
  EXPECT_THAT(completed_, ElementsAre(other.get()));
  EXPECT_EQ(after->state, Action::State::waiting);
  EXPECT_EQ(executor_->failed(), CL_SUCCESS);
  script(endless).takes = kMilli;  // it ends after all
  finish();
  EXPECT_EQ(completed_.size(), 4u);
}

TEST_F(ExecutorTest, ALateEndIsOneEnd) {
  make({0, 0});
  const auto late = action(1), after = action(0);
  script(late).late = true;
  after->wait_for(*late);
  push(late), push(after);
  finish();
  EXPECT_FALSE(late->complete());
  executor_->ask_devices();
  finish();
  EXPECT_THAT(completed_, ElementsAre(late.get(), after.get()));
  devices_->tell_late();
  EXPECT_FALSE(executor_->take_posts());
  EXPECT_EQ(completed_.size(), 2u);
}

TEST_F(ExecutorTest, ALateEndThatNobodyAskedForIsHeard) {
  make({0, 1});
  const auto late = action(1), after = action(0);
  script(late).late = true;
  script(late).fails = CL_INVALID_VALUE;
  after->wait_for(*late);
  push(late), push(after);
  finish();
  devices_->tell_late();
  finish();
  EXPECT_THAT(completed_, ElementsAre(late.get(), after.get()));
  EXPECT_EQ(late->lane, &executor_->lanes().repair());
  EXPECT_EQ(late->status, CL_SUCCESS);
}

// Repairs are home's; where home fails, nothing is left.
TEST_F(ExecutorTest, ARepairThatFailsIsTheEnd) {
  make({0, 0});
  const auto piece = action(1), later = action(0);
  script(piece).refused = CL_OUT_OF_RESOURCES;
  piece->elsewhere.redo = [](Lane&) -> Action::Work {
    return [](const std::vector<cl_event>&) { return Action::Outcome{CL_OUT_OF_HOST_MEMORY, {}}; };
  };
  push(piece);
  finish();
  EXPECT_EQ(piece->status, CL_OUT_OF_HOST_MEMORY);
  EXPECT_EQ(executor_->failed(), CL_OUT_OF_HOST_MEMORY);
  push(later);
  finish();
  EXPECT_EQ(later->status, CL_OUT_OF_HOST_MEMORY);
}

// The bytes are on a device that does not give them.
TEST_F(ExecutorTest, ACopyThatFailsLosesTheContext) {
  make({0, 1});
  const auto writes = action(1), out = copy(1, 0), reads = action(0), other = action(1);
  script(out).fails = CL_OUT_OF_RESOURCES;
  out->wait_for(*writes);
  reads->wait_for(*out);
  for (const auto& a : {writes, out, reads})
    push(a);
  finish();
  EXPECT_EQ(writes->status, CL_SUCCESS);
  EXPECT_EQ(out->status, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(reads->status, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(executor_->failed(), CL_OUT_OF_RESOURCES);
  push(other);
  finish();
  EXPECT_EQ(other->status, CL_OUT_OF_RESOURCES);
}

TEST_F(ExecutorTest, ACopyWaitsForTheRepairOfWhatWritesItsBytes) {
  make({0, 1});
  const auto writes = action(1), out = copy(1, 0);
  script(writes).fails = CL_INVALID_VALUE;
  out->wait_for(*writes);
  push(writes), push(out);
  finish();
  EXPECT_THAT(completed_, ElementsAre(writes.get(), out.get()));
  EXPECT_EQ(writes->lane, &executor_->lanes().repair());
  EXPECT_GE(out->times.started, writes->times.ended);
  EXPECT_EQ(out->status, CL_SUCCESS);
}

// Whoever keeps a journal makes a loss good.
class Losses : public ExecutorTest {
protected:
  // Two copies, one after the other; the first finds its memory gone. A piece of home's is under way.
  void lose() {
    make({0, 1}, {.makes_losses_good = true});
    first_ = copy(0, 1, 1), second_ = copy(0, 1, 2), at_home_ = action(0), reads_ = action(1);
    script(first_).lost = true;
    reads_->wait_for(*first_);
    push(at_home_);
    pump();
    for (const auto& a : {first_, second_, reads_})
      push(a);
    work();
  }
  Ref<Action> first_, second_, at_home_, reads_;
};

TEST_F(Losses, StopEverythingOnce) {
  lose();
  EXPECT_TRUE(executor_->gate().is_halted());
  EXPECT_THAT(lost_, ElementsAre(first_.get()));
  EXPECT_EQ(halts_, 0) << "home's piece is under way";
  finish();
  EXPECT_FALSE(first_->complete());
  EXPECT_FALSE(second_->complete()) << "nothing new starts";
  EXPECT_FALSE(reads_->complete());
  EXPECT_FALSE(first_->work) << "it is made anew, or not at all";
  EXPECT_EQ(halts_, 1);
  EXPECT_EQ(executor_->failed(), CL_SUCCESS);
}

TEST_F(Losses, LeaveWhatIsUnderWayToItsEnd) {
  lose();
  finish();
  EXPECT_THAT(completed_, ElementsAre(at_home_.get()));
  EXPECT_EQ(at_home_->status, CL_SUCCESS);
}

TEST_F(Losses, AreOverWhenTheObserverSaysSo) {
  lose();
  finish();
  const auto again = copy(0, 2), after = action(0, 1);
  after->wait_for(*again);
  {
    const std::lock_guard lock(executor_->mutex());
    executor_->drop_unfinished();
    executor_->gate().resume();
    executor_->push(again);
    executor_->push(after);
  }
  finish();
  EXPECT_THAT(completed_, ElementsAre(at_home_.get(), again.get(), after.get()));
  EXPECT_EQ(after->status, CL_SUCCESS);
  EXPECT_LT(second_->status, 0) << "what was dropped is gone";
}

TEST_F(Losses, SayWhetherTheActionHadBegun) {
  make({0, 1}, {.makes_losses_good = true});
  const auto out = copy(0, 1);
  script(out).lost = script(out).begun = true;
  push(out);
  work();
  EXPECT_TRUE(out->driver.begun);
  EXPECT_TRUE(out->loss.device_lost);
  EXPECT_EQ(halts_, 1);
}

}  // namespace
}  // namespace mkmd
