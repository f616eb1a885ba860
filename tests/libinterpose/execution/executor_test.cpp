// SPDX-License-Identifier: Apache-2.0
// The executor on devices of virtual time: no driver, no thread, no clock.
#include "libinterpose/execution/executor.hpp"

#include "libinterpose/objects/objects.hpp"
#include "tests/libinterpose/execution/fake_devices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace mkmd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr cl_ulong kMilli = FakeDevices::kTakes;

class ExecutorTest : public testing::Test, public Executor::Observer {
protected:
  // `contexts`: of the lanes that compute, by number. The first is home.
  void make(const std::vector<int>& contexts, Executor::Configuration configuration = {}) {
    configuration.has_threads = false;
    executor_ = std::make_unique<Executor>(*this, configuration);
    auto devices = std::make_unique<FakeDevices>();
    devices_ = devices.get();
    executor_->use(std::move(devices));
    for (size_t d = 0; d < contexts.size(); ++d)
      executor_->add(lane(Lane::Kind::asynchronous, static_cast<int>(d), contexts[d]));
    for (int domain = 0; domain < 3; ++domain)
      transfers_.push_back(&executor_->add(std::make_unique<Lane>(Lane::Kind::threaded, -1, domain, nullptr,
                                                                  vendor::Owned<cl_command_queue>())));
    executor_->set_home(*executor_->compute().front());
    executor_->set_program(
        std::make_unique<Lane>(Lane::Kind::asynchronous, -1, 0, nullptr, vendor::Owned<cl_command_queue>()));
    if (!configuration.makes_losses_good)
      executor_->set_repair(lane(Lane::Kind::threaded, 0, contexts.front()));
  }

  static std::unique_ptr<Lane> lane(Lane::Kind kind, int device, int context) {
    const auto native = reinterpret_cast<cl_context>(static_cast<uintptr_t>(context + 1) * 16);
    return std::make_unique<Lane>(kind, device, 0, native, vendor::Owned<cl_command_queue>());
  }

  // On the lane of that device; it may be done again.
  Ref<Action> action(int device, double order = 0) {
    const auto work = [this](Lane&) -> Action::Work {
      return [this](const std::vector<cl_event>&) {
        ++works_;
        return Action::Outcome{};
      };
    };
    Lane& on = *executor_->compute()[device];
    Ref<Action> made(new Action(on, owner_.get(), work(on)));
    made->order = order;
    made->redo = work;
    made->piece.device = device;
    return made;
  }
  // Between memories. Nothing can do it again.
  Ref<Action> copy(int from, int to, double order = 0) {
    Ref<Action> made(new Action(*transfers_[to], nullptr, [this](const std::vector<cl_event>&) {
      ++works_;
      return Action::Outcome{};
    }));
    made->order = order;
    made->from_domain = from;
    made->moved_ranges = ByteRanges(0, 8);
    made->bytes_moved = 8;
    return made;
  }
  FakeDevices::Script& script(const Ref<Action>& a) { return devices_->scripts[a.get()]; }

  void push(const Ref<Action>& a) {
    const std::lock_guard lock(executor_->mutex());
    executor_->push(a);
  }
  void pump() {
    std::unique_lock lock(executor_->mutex());
    executor_->pump();
    Executor::Dead dead = executor_->take_dead();
    lock.unlock();
    Executor::bury(std::move(dead));
  }
  // What threads would do, if there were any.
  void work() {
    executor_->wait_until([] { return true; });
  }
  // Until nothing ends any more.
  void finish() {
    do {
      work();
    } while (devices_->advance());
  }
  static Memory* buffer(uintptr_t number) { return reinterpret_cast<Memory*>(number * 64); }

  void completed(Action& a) override { completed_.push_back(&a); }
  void lost(Action& a) override { lost_.push_back(&a); }
  void halted() override {
    ++halts_;
    EXPECT_FALSE(executor_->is_running());
  }
  void conduct() override {}
  bool is_busy() const override { return false; }

  const Ref<ActionOwner> owner_{new ActionOwner};
  std::unique_ptr<Executor> executor_;
  FakeDevices* devices_ = nullptr;
  std::vector<Lane*> transfers_;  // by the memory they write to
  std::vector<const Action*> completed_, lost_;
  int halts_ = 0;
  int works_ = 0;
};

TEST_F(ExecutorTest, GivesADeviceAllThatWaitsForOneAnother) {
  make({0, 0});
  const auto first = action(0), second = action(1), third = action(0);
  second->wait_for(*first);
  third->wait_for(*second);
  push(first), push(second), push(third);
  pump();
  EXPECT_EQ(devices_->under_way(), 3u);  // their driver orders them
  finish();
  EXPECT_THAT(completed_, ElementsAre(first.get(), second.get(), third.get()));
  EXPECT_EQ(third->started, second->ended);
  EXPECT_EQ(third->ended, first->started + 3 * kMilli);
}

TEST_F(ExecutorTest, WaitsItselfBetweenContexts) {
  make({0, 1});
  const auto first = action(0), second = action(1);
  second->wait_for(*first);
  push(first), push(second);
  pump();
  EXPECT_EQ(devices_->under_way(), 1u);
  EXPECT_EQ(second->state, Action::State::waiting);
  devices_->advance();
  executor_->take_posts();
  EXPECT_TRUE(first->complete());
  EXPECT_EQ(second->state, Action::State::submitted);
  finish();
  EXPECT_THAT(completed_, ElementsAre(first.get(), second.get()));
}

TEST_F(ExecutorTest, StartsInThePlansOrder) {
  make({0});
  const auto late = action(0, 2), early = action(0, 1);
  push(late), push(early);
  finish();
  EXPECT_THAT(completed_, ElementsAre(early.get(), late.get()));
}

TEST_F(ExecutorTest, HoldsBackWhatComesLaterThanWhatIsNotPushedYet) {
  make({0});
  const auto late = action(0, 5);
  executor_->hold_from(3);
  push(late);
  pump();
  EXPECT_EQ(devices_->under_way(), 0u);
  const auto early = action(0, 2);
  push(early);
  pump();
  EXPECT_EQ(devices_->under_way(), 1u);
  executor_->hold_from(kAllEmitted);
  finish();
  EXPECT_THAT(completed_, ElementsAre(early.get(), late.get()));
}

TEST_F(ExecutorTest, FlushesADeviceOnceForAllItWasGiven) {
  make({0, 0});
  for (int i = 0; i < 10; ++i)
    push(action(i % 2, i));
  finish();
  EXPECT_EQ(devices_->flushes, 2);
}

class Parts : public ExecutorTest {
protected:
  // Four parts of a long piece on device 1, while device 0 has nothing to do.
  void push_parts(double seconds_elsewhere) {
    for (int i = 0; i < 4; ++i) {
      parts_.push_back(action(1, i));
      parts_.back()->piece.seconds = 1e-3;
      parts_.back()->moved = [](Lane&) -> Action::Work {
        return [](const std::vector<cl_event>&) { return Action::Outcome{}; };
      };
      parts_.back()->seconds_on = [=](const Lane&) { return seconds_elsewhere; };
      push(parts_.back());
    }
  }
  int moved() const {
    return static_cast<int>(std::count_if(parts_.begin(), parts_.end(),
                                          [](const Ref<Action>& part) { return part->piece.device == 0; }));
  }
  std::vector<Ref<Action>> parts_;
};

TEST_F(Parts, MoveToAnIdleDevice) {
  make({0, 0});
  push_parts(1e-3);
  finish();
  EXPECT_GE(moved(), 1);
  EXPECT_LE(moved(), 2);  // two are with their device at once
  EXPECT_EQ(completed_.size(), 4u);
}

TEST_F(Parts, StayWhereTheyAreDoneEarlier) {
  make({0, 0});
  push_parts(2.1e-3);
  finish();
  EXPECT_EQ(moved(), 0);
}

TEST_F(Parts, StayInTheirContext) {
  make({0, 1});
  push_parts(1e-3);
  finish();
  EXPECT_EQ(moved(), 0);
}

TEST_F(Parts, DoNotMoveToAHomeThatExcludesTheOthers) {
  make({0, 0}, {.home_excludes_others = true});
  push_parts(1e-3);
  finish();
  EXPECT_EQ(moved(), 0);
}

TEST_F(Parts, AreTwoDeepInADevice) {
  make({0, 1});
  push_parts(1);
  pump();
  EXPECT_EQ(devices_->under_way(), 2u);
  finish();
  EXPECT_EQ(completed_.size(), 4u);
}

TEST_F(ExecutorTest, DoesAgainAtHomeWhatAHelperRefuses) {
  make({0, 0});
  const auto piece = action(1), after = action(1);
  after->wait_for(*piece);
  script(piece).refused = CL_OUT_OF_RESOURCES;
  push(piece), push(after);
  finish();
  EXPECT_THAT(completed_, ElementsAre(piece.get(), after.get()));
  EXPECT_EQ(piece->status, CL_SUCCESS);
  EXPECT_EQ(piece->lane, executor_->repair());
  EXPECT_EQ(after->lane, executor_->compute()[1]);
  EXPECT_GE(after->started, piece->ended);
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
    EXPECT_EQ(again->lane, executor_->repair());
    EXPECT_EQ(again->status, CL_SUCCESS);
  }
  EXPECT_GE(behind->started, failing->ended);
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
    return Ref<Action>(new Action(executor_->program(), nullptr,
                                  [](const std::vector<cl_event>&) { return Action::Outcome{}; }));
  };
  const auto failed = of_program(), other = of_program(), entry = of_program();
  const auto at_home = action(0), at_helper = action(1);
  script(failed).fails = CL_INVALID_VALUE;
  script(other).takes = 5 * kMilli;
  for (const auto& end : {failed, other})
    entry->wait_for(*end);
  for (const auto& piece : {at_home, at_helper}) {
    piece->uses = {{buffer(1), ByteRanges(0, 8), ByteRanges(0, 8), ByteRanges(0, 8)}};
    piece->wait_for(*entry);
  }
  at_helper->wait_for(*at_home);
  for (const auto& a : {failed, other, entry, at_home, at_helper})
    push(a);
  finish();
  EXPECT_THAT(completed_,
              ElementsAre(failed.get(), other.get(), entry.get(), at_home.get(), at_helper.get()));
  EXPECT_GE(at_home->started, other->ended);
  EXPECT_EQ(at_home->status, CL_SUCCESS);
  EXPECT_EQ(at_helper->status, CL_SUCCESS);
  EXPECT_EQ(executor_->failed(), CL_SUCCESS);
  EXPECT_THAT(devices_->troubles, IsEmpty());
}

// It read what it has written itself, perhaps.
TEST_F(ExecutorTest, GivesUpWhereBytesAreGone) {
  make({0, 0});
  const auto piece = action(1);
  piece->uses = {{buffer(1), ByteRanges(0, 8), ByteRanges(0, 8), ByteRanges(0, 8)}};
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
  piece->uses = {{buffer(1), ByteRanges(0, 8), ByteRanges(0, 8), ByteRanges(0, 8)}};
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

TEST_F(ExecutorTest, WhatWaitsForMissingBytesDoesNotRun) {
  make({0, 1}, {.makes_losses_good = true});
  const auto transfer = action(0), reader = action(1), only_after = action(1);
  transfer->moved_ranges = ByteRanges(0, 1);
  script(transfer).fails = CL_OUT_OF_RESOURCES;
  reader->wait_for(*transfer);
  only_after->come_after(*transfer);
  push(transfer), push(reader), push(only_after);
  finish();
  EXPECT_EQ(reader->status, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(only_after->status, CL_SUCCESS);
  EXPECT_EQ(works_, 2);  // the transfer and the last
}

TEST_F(ExecutorTest, HoldsNothingOfCompleteActions) {
  make({0});
  const auto one = action(0);
  push(one);
  finish();
  EXPECT_FALSE(one->work);
  EXPECT_FALSE(one->redo);
  EXPECT_THAT(one->uses, IsEmpty());
}

TEST_F(ExecutorTest, AnnouncesOwnersOutsideTheMutex) {
  struct Owner : ActionOwner {
    explicit Owner(Mutex& mutex) : mutex(mutex) {}
    void announce() override {
      announced = mutex.try_lock();
      if (announced) mutex.unlock();
    }
    Mutex& mutex;
    bool announced = false;
  };
  make({0});
  const Ref<Owner> owner(new Owner(executor_->mutex()));
  {
    const std::lock_guard lock(executor_->mutex());
    executor_->announce_later(*owner);
  }
  pump();
  EXPECT_TRUE(owner->announced);
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
  EXPECT_EQ(late->lane, executor_->repair());
  EXPECT_EQ(late->status, CL_SUCCESS);
}

// Repairs are home's; where home fails, nothing is left.
TEST_F(ExecutorTest, ARepairThatFailsIsTheEnd) {
  make({0, 0});
  const auto piece = action(1), later = action(0);
  script(piece).refused = CL_OUT_OF_RESOURCES;
  piece->redo = [](Lane&) -> Action::Work {
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

TEST_F(ExecutorTest, CopiesRunInThePlansOrderAndWaitForWhatWritesTheirBytes) {
  make({0, 1});
  const auto writes = action(1), out = copy(1, 0, 1), back = copy(0, 1, 2), reads = action(1, 3);
  out->wait_for(*writes);
  back->wait_for(*out);
  reads->wait_for(*back);
  for (const auto& a : {reads, back, out, writes})
    push(a);
  finish();
  EXPECT_THAT(completed_, ElementsAre(writes.get(), out.get(), back.get(), reads.get()));
  EXPECT_GE(out->started, writes->ended);
  EXPECT_GE(back->started, out->ended);
  EXPECT_GE(reads->started, back->ended);
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
  EXPECT_EQ(writes->lane, executor_->repair());
  EXPECT_GE(out->started, writes->ended);
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
    for (const auto& a : {at_home_, first_, second_, reads_})
      push(a);
    work();
  }
  Ref<Action> first_, second_, at_home_, reads_;
};

TEST_F(Losses, StopEverythingOnce) {
  lose();
  EXPECT_TRUE(executor_->is_halted());
  EXPECT_THAT(lost_, ElementsAre(first_.get()));
  EXPECT_EQ(halts_, 1);
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
  const auto again = copy(0, 2), after = action(0, 1);
  after->wait_for(*again);
  {
    const std::lock_guard lock(executor_->mutex());
    executor_->drop_waiting();
    executor_->resume();
    executor_->push(again);
    executor_->push(after);
  }
  finish();
  EXPECT_THAT(completed_, ElementsAre(again.get(), at_home_.get(), after.get()));
  EXPECT_EQ(after->status, CL_SUCCESS);
  EXPECT_FALSE(second_->complete()) << "what was dropped is gone";
}

TEST_F(Losses, SayWhetherTheActionHadBegun) {
  make({0, 1}, {.makes_losses_good = true});
  const auto out = copy(0, 1);
  script(out).lost = script(out).begun = true;
  push(out);
  work();
  EXPECT_TRUE(out->begun);
  EXPECT_TRUE(out->device_lost);
  EXPECT_EQ(halts_, 1);
}

// Random graphs on devices in one or several contexts, some of whose actions helpers refuse or fail at.
class RandomGraphs : public ExecutorTest, public testing::WithParamInterface<int> {};

TEST_P(RandomGraphs, AreDoneInOrder) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const std::vector<std::vector<int>> machines = {{0, 0}, {0, 1}, {0, 0, 1}, {0, 1, 2}, {0, 0, 0, 0}};
  const std::vector<int>& machine = machines[static_cast<size_t>(below(5))];
  make(machine);
  std::vector<Ref<Action>> actions;
  std::vector<std::pair<size_t, size_t>> edges;
  const auto unlikely = [&](cl_int status) { return below(8) == 0 ? status : CL_SUCCESS; };
  for (size_t i = 0; i < 40; ++i) {
    actions.push_back(action(below(static_cast<int>(machine.size())), below(10)));
    FakeDevices::Script& what = script(actions.back());
    what.takes = static_cast<cl_ulong>(1 + below(1000));
    if (actions.back()->lane != &executor_->home()) {
      what.refused = unlikely(CL_OUT_OF_RESOURCES);
      what.fails = unlikely(CL_INVALID_VALUE);
      what.silent = below(8) == 0;
    }
    for (int p = below(3); i > 0 && p > 0; --p) {
      edges.emplace_back(static_cast<size_t>(below(static_cast<int>(i))), i);
      const std::lock_guard lock(executor_->mutex());
      actions.back()->wait_for(*actions[edges.back().first]);
    }
    push(actions.back());
    if (below(4) == 0) pump();
    if (below(3) == 0 && devices_->advance()) executor_->take_posts();
  }
  for (int tries = 0; tries < 200 && completed_.size() < actions.size(); ++tries) {
    finish();
    devices_->wait(2'000'000'000);
    executor_->ask_devices();
    executor_->take_posts();
  }
  ASSERT_EQ(completed_.size(), actions.size());
  EXPECT_EQ(executor_->failed(), CL_SUCCESS);
  for (const Ref<Action>& one : actions)
    EXPECT_EQ(one->status, CL_SUCCESS);
  for (const auto& [before, after] : edges)
    EXPECT_GE(actions[after]->started, actions[before]->ended) << before << " -> " << after;
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraphs, testing::Range(0, 1000));

}  // namespace
}  // namespace mkmd
