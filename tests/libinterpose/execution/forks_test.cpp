// SPDX-License-Identifier: Apache-2.0
// What an executor's threads do while the process forks.
#include "libinterpose/execution/forks.hpp"

#include "tests/libinterpose/execution/executor_fixture.hpp"

#include <atomic>
#include <chrono>
#include <future>

namespace mkmd {
namespace {

class Forks : public ExecutorTest {};

// A child has only the thread that forks. Drivers wait in it, when it exits, for threads that were in them.
TEST_F(Forks, AForkWaitsForTheThreadsThatAreInDrivers) {
  has_threads_ = true;
  make({0, 1});
  executor_->lanes().add(lane(Lane::Kind::helped, 2, 1));
  std::promise<void> helps, may_end;
  std::atomic<int> helped{0};
  devices_->on_help = [&](const Lane&) {
    helps.set_value();  // once, or this throws
    may_end.get_future().wait();
    ++helped;
  };
  {
    const std::lock_guard lock(executor_->mutex());
    EXPECT_TRUE(executor_->start_threads());
  }
  push(action(2, 0));
  pump();
  helps.get_future().wait();
  auto closed = std::async(std::launch::async, [&] {
    close(*executor_);
    return helped.load();
  });
  EXPECT_EQ(closed.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  may_end.set_value();
  EXPECT_EQ(closed.get(), 1);
  executor_->stop();
}

TEST_F(Forks, NothingStartsDuringAFork) {
  make({0, 1});
  close(*executor_);
  close(*executor_);  // two threads fork
  const auto queued = action(0), copied = copy(0, 1);
  push(queued), push(copied);
  work();
  open(*executor_);
  EXPECT_EQ(devices_->under_way(), 0u);
  EXPECT_EQ(works_, 0);
  open(*executor_);
  EXPECT_EQ(devices_->under_way(), 1u);
  finish();
  EXPECT_THAT(completed_, UnorderedElementsAre(queued.get(), copied.get()));
}

TEST_F(Forks, ADriverMayForkOnTheThreadThatIsInIt) {
  make({0, 1});
  executor_->lanes().add(lane(Lane::Kind::helped, 2, 1));
  bool has_waited = false;
  devices_->on_help = [&](const Lane&) {
    close(*executor_);
    open(*executor_);
    has_waited = true;
    devices_->advance();
  };
  const auto only = action(2);
  push(only);
  executor_->wait_until([&] { return only->complete(); });
  EXPECT_TRUE(has_waited);
}

}  // namespace
}  // namespace mkmd
