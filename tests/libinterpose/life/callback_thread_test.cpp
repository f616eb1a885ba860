// SPDX-License-Identifier: Apache-2.0
// Which callbacks a wait includes. Each test has queues and lines of its own: the threads are the process's.
#include "libinterpose/life/callback_thread.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

namespace mkmd {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::minutes kLong{10};

class AwaitedCallbacks : public testing::Test {
protected:
  CallbackOrder order() { return {&queue_, Clock::now(), &queue_}; }
  // A callback that ends when the test lets it.
  void run_until_let_go(const CallbackOrder& order) {
    run_callback(
        [this] {
          let_go_.get_future().wait();
          ended_ = true;
        },
        order);
  }
  void let_go_soon() {
    helper_ = std::thread([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      let_go_.set_value();
    });
  }
  void TearDown() override {
    if (helper_.joinable()) helper_.join();
    while (has_callbacks())
      std::this_thread::yield();
  }

  const int queue_ = 0, other_ = 0;
  std::promise<void> let_go_;
  std::atomic<bool> ended_{false};
  std::thread helper_;
};

TEST_F(AwaitedCallbacks, AreThoseThatBecomeDueMeanwhile) {
  const CallbackOrder command = order();
  const auto began = Clock::now();
  run_until_let_go(command);
  let_go_soon();
  await_callbacks(command, began, kLong);
  EXPECT_TRUE(ended_);
}

TEST_F(AwaitedCallbacks, AreThoseThatArePromised) {
  const CallbackOrder command = order();
  promise_callback(command);
  helper_ = std::thread([this, command] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    run_callback([this] { ended_ = true; }, command);
  });
  await_callbacks(command, Clock::now(), kLong);
  EXPECT_TRUE(ended_);
}

TEST_F(AwaitedCallbacks, AreThoseOfAllLinesOfTheQueue) {
  const CallbackOrder command{&other_, Clock::now(), &queue_};
  const auto began = Clock::now();
  run_until_let_go(command);
  let_go_soon();
  await_callbacks({.since = Clock::now(), .queue = &queue_}, began, kLong);
  EXPECT_TRUE(ended_);
}

TEST_F(AwaitedCallbacks, AreNoOthers) {
  const CallbackOrder earlier = order();
  const auto before = Clock::now();
  const CallbackOrder command = order();
  run_until_let_go(command);
  const auto after = Clock::now();
  await_callbacks(earlier, before, kLong);                             // its command came later
  await_callbacks(command, after, kLong);                              // it was due when the wait began
  await_callbacks({.line = &other_, .since = after}, before, kLong);   // of another line
  await_callbacks({.since = after, .queue = &other_}, before, kLong);  // of another queue
  EXPECT_FALSE(ended_);
  let_go_.set_value();
}

TEST_F(AwaitedCallbacks, AreAwaitedForALimitedTime) {
  const CallbackOrder command = order();
  const auto began = Clock::now();
  run_until_let_go(command);
  await_callbacks(command, began, std::chrono::milliseconds(10));
  EXPECT_FALSE(ended_);
  let_go_.set_value();
}

TEST_F(AwaitedCallbacks, AreNotThoseOfACallbackThatWaits) {
  const CallbackOrder command = order();
  const auto began = Clock::now();
  std::promise<void> waited;
  run_callback(
      [&] {
        await_callbacks(command, began, kLong);
        waited.set_value();
      },
      command);
  EXPECT_EQ(waited.get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready);
}

}  // namespace
}  // namespace mkmd
