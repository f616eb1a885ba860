// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/life/beside_thread.hpp"

#include <gtest/gtest.h>

#include <future>
#include <vector>

namespace mkmd {
namespace {

TEST(BesideThreadTest, WorksInOrderAndLetsGoOfWhatItHolds) {
  BesideThread beside;
  std::vector<int> done;
  std::promise<void> last;
  const auto held = std::make_shared<int>(0);
  for (int i = 0; i < 100; ++i)
    ASSERT_TRUE(beside.add([&done, i, held] { done.push_back(i + *held); }));
  ASSERT_TRUE(beside.add([&last] { last.set_value(); }));
  last.get_future().wait();
  ASSERT_EQ(done.size(), 100u);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(done[i], i);
  EXPECT_EQ(held.use_count(), 1);
}

TEST(BesideThreadTest, StopWaitsForTheWorkUnderWayAndDropsTheRest) {
  BesideThread beside;
  std::promise<void> began, go_on;
  bool first_ended = false, second_began = false;
  ASSERT_TRUE(beside.add([&] {
    began.set_value();
    go_on.get_future().wait();
    first_ended = true;
  }));
  ASSERT_TRUE(beside.add([&] { second_began = true; }));
  began.get_future().wait();
  std::thread other([&] {
    while (beside.add([] {}))  // until stop() has begun
      std::this_thread::yield();
    go_on.set_value();
  });
  beside.stop();
  EXPECT_TRUE(first_ended);
  other.join();
  EXPECT_FALSE(beside.add([&] { second_began = true; }));
  EXPECT_FALSE(second_began);
}

TEST(BesideThreadTest, WorkMayStopItsOwnThread) {
  BesideThread beside;
  std::promise<void> stopped;
  ASSERT_TRUE(beside.add([&] {
    beside.stop();
    stopped.set_value();
  }));
  stopped.get_future().wait();
  EXPECT_FALSE(beside.add([] {}));
}

}  // namespace
}  // namespace mkmd
