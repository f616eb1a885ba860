// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/vendor/bound_threads.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <latch>
#include <thread>
#include <unistd.h>

using namespace mkmd::vendor;

namespace {

int cores_of(pid_t thread) {
  cpu_set_t where;
  return sched_getaffinity(thread, sizeof where, &where) == 0 ? CPU_COUNT(&where) : -1;
}

// One thread that is bound to one core, as a driver's, and one that is not.
class BoundThreadsTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(sched_getaffinity(0, sizeof anywhere_, &anywhere_), 0);
    if (CPU_COUNT(&anywhere_) < 2) GTEST_SKIP() << "needs two cores";
    const auto body = [this](pid_t& number, bool bind) {
      number = gettid();
      cpu_set_t one;
      CPU_ZERO(&one);
      for (size_t core = 0; CPU_COUNT(&one) == 0; ++core) {
        if (CPU_ISSET(core, &anywhere_)) CPU_SET(core, &one);
      }
      if (bind) sched_setaffinity(0, sizeof one, &one);
      begun_.count_down();
      end_.wait();
    };
    threads_.emplace_back(body, std::ref(bound_), true);
    threads_.emplace_back(body, std::ref(free_), false);
    begun_.wait();
    watched_.watch({bound_, free_}, anywhere_);
  }

  void TearDown() override { end_threads(); }

  void end_threads() {
    if (threads_.empty()) return;
    end_.count_down();
    for (std::thread& thread : threads_)
      thread.join();
    threads_.clear();
  }

  void native_commands(int count) {
    for (int i = 0; i < count; ++i)
      watched_.native_command();
  }

  static constexpr int kEnough = 64;  // for two threads
  cpu_set_t anywhere_{};
  pid_t bound_ = 0, free_ = 0;
  std::latch begun_{2}, end_{1};
  std::vector<std::thread> threads_;
  BoundThreads watched_;
};

TEST_F(BoundThreadsTest, AreReleasedAfterManyNativeCommandsUntilCapturedWorkBegins) {
  native_commands(kEnough - 1);
  EXPECT_EQ(cores_of(bound_), 1);
  native_commands(1);
  EXPECT_EQ(cores_of(bound_), CPU_COUNT(&anywhere_));
  watched_.captured_work_begins();
  EXPECT_EQ(cores_of(bound_), 1);
  EXPECT_EQ(cores_of(free_), CPU_COUNT(&anywhere_)) << "it never was bound";
}

TEST_F(BoundThreadsTest, StayWhileCapturedWorkIsUnderWayInAnyContext) {
  watched_.captured_work_begins();
  watched_.captured_work_begins();
  watched_.captured_work_ends();
  native_commands(kEnough);
  EXPECT_EQ(cores_of(bound_), 1);
  watched_.captured_work_ends();
  native_commands(kEnough - 1);
  EXPECT_EQ(cores_of(bound_), 1) << "counting begins when captured work ends";
  native_commands(1);
  EXPECT_GT(cores_of(bound_), 1);
}

TEST_F(BoundThreadsTest, MayEnd) {
  native_commands(kEnough);
  end_threads();
  watched_.captured_work_begins();
  watched_.captured_work_ends();
  native_commands(kEnough);
  SUCCEED() << "nobody was asked to move";
}

TEST(ThreadsOfProcess, HasTheOneThatAsks) {
  const std::vector<pid_t> all = threads_of_process();
  EXPECT_EQ(std::count(all.begin(), all.end(), gettid()), 1);
}

}  // namespace
