// SPDX-License-Identifier: Apache-2.0
// Which actions devices are given, when, and in which order.
#include "tests/libinterpose/execution/executor_fixture.hpp"

#include <chrono>
#include <future>
#include <random>

namespace mkmd {

// Every object begins with the table of api's functions, which nothing here calls.
const cl_icd_dispatch dispatch_table{};

namespace {

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
  EXPECT_EQ(third->times.started, second->times.ended);
  EXPECT_EQ(third->times.ended, first->times.started + 3 * kMilli);
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
  executor_->gate().hold_from(3);
  push(late);
  pump();
  EXPECT_EQ(devices_->under_way(), 0u);
  const auto early = action(0, 2);
  push(early);
  pump();
  EXPECT_EQ(devices_->under_way(), 1u);
  executor_->gate().hold_from(kAllEmitted);
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

TEST_F(ExecutorTest, AThreadWaitsForADeviceThatComputesWithIt) {
  has_threads_ = true;
  make({0, 1});
  Lane& helped = executor_->lanes().add(lane(Lane::Kind::helped, 2, 1));
  std::promise<const Lane*> told;
  devices_->on_help = [&](const Lane& of) { told.set_value(&of); };  // once, or this throws
  {
    const std::lock_guard lock(executor_->mutex());
    EXPECT_TRUE(executor_->start_threads());
  }
  for (int i = 0; i < 10; ++i)
    push(action(2, i));
  pump();
  auto waits = told.get_future();
  ASSERT_EQ(waits.wait_for(std::chrono::seconds(30)), std::future_status::ready);
  EXPECT_EQ(waits.get(), &helped);
  executor_->stop();
  EXPECT_EQ(devices_->flushes, 1);
  finish();
  EXPECT_EQ(completed_.size(), 10u);
}

TEST_F(ExecutorTest, AWaitingThreadHelpsADeviceWhereThereAreNoOthers) {
  make({0, 1});
  executor_->lanes().add(lane(Lane::Kind::helped, 2, 1));
  int helped = 0;
  devices_->on_help = [&](const Lane& of) {
    ++helped;
    EXPECT_EQ(of.kind, Lane::Kind::helped);
    devices_->advance();
  };
  const auto only = action(2);
  push(only);
  executor_->wait_until([&] { return only->complete(); });
  EXPECT_EQ(helped, 1);
}

TEST_F(ExecutorTest, AnEndWakesAThreadAtTheLatestWhenNoneFeeds) {
  make({0, 0});
  Posts posts;
  const auto ended = action(1);
  auto due = std::async(std::launch::async,
                        [&] { return posts.wait_to_conduct([] { return true; }, std::chrono::seconds(30)); });
  {
    const Posts::Feeding feeding(posts);
    posts.under_way(*ended);
    posts.ended(*ended, CL_SUCCESS);
  }
  EXPECT_EQ(due.get(), Posts::Due::posts);
}

class Parts : public ExecutorTest {
protected:
  // Four parts of a long piece on device 1, while device 0 has nothing to do.
  void push_parts(double seconds_elsewhere) {
    for (int i = 0; i < 4; ++i) {
      parts_.push_back(action(1, i));
      parts_.back()->piece.seconds = 1e-3;
      parts_.back()->elsewhere.moved = [](Lane&) -> Action::Work {
        return [](const std::vector<cl_event>&) { return Action::Outcome{}; };
      };
      parts_.back()->elsewhere.seconds_on = [=](const Lane&) { return seconds_elsewhere; };
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

TEST_F(ExecutorTest, HoldsNothingOfCompleteActions) {
  make({0});
  const auto one = action(0);
  push(one);
  finish();
  EXPECT_FALSE(one->work);
  EXPECT_FALSE(one->elsewhere.redo);
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
    executor_->graveyard().announce_later(*owner);
  }
  pump();
  EXPECT_TRUE(owner->announced);
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
  EXPECT_GE(out->times.started, writes->times.ended);
  EXPECT_GE(back->times.started, out->times.ended);
  EXPECT_GE(reads->times.started, back->times.ended);
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
    if (actions.back()->lane != &executor_->lanes().home()) {
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
    EXPECT_GE(actions[after]->times.started, actions[before]->times.ended) << before << " -> " << after;
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraphs, testing::Range(0, 1000));

}  // namespace
}  // namespace mkmd
