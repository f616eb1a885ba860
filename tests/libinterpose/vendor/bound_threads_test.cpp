// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/vendor/bound_threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <thread>
#include <unistd.h>

namespace mkmd::vendor {
namespace {

cpu_set_t first_core() {
  cpu_set_t all, one;
  sched_getaffinity(0, sizeof all, &all);
  CPU_ZERO(&one);
  for (int core = 0; CPU_COUNT(&one) == 0; ++core)
    if (CPU_ISSET(core, &all)) CPU_SET(core, &one);
  return one;
}

// A thread that is bound to a core, as a driver's.
class Worker {
public:
  Worker() : thread_([this] { run(); }) { started_.wait(); }
  ~Worker() {
    end_.set_value();
    thread_.join();
  }
  int cores() const {
    cpu_set_t now;
    sched_getaffinity(id_, sizeof now, &now);
    return CPU_COUNT(&now);
  }

private:
  void run() {
    const cpu_set_t core = first_core();
    id_ = gettid();
    sched_setaffinity(id_, sizeof core, &core);
    started_.count_down();
    end_.get_future().wait();
  }

  std::latch started_{1};
  std::promise<void> end_;
  std::atomic<pid_t> id_{0};
  std::thread thread_;
};

class BoundThreadsTest : public testing::Test {
protected:
  void SetUp() override {
    cpu_set_t all;
    sched_getaffinity(0, sizeof all, &all);
    cores_ = CPU_COUNT(&all);
    if (cores_ < 2) GTEST_SKIP() << "there is one core";
  }
  // A second later, in which other processes have used so many cores, and this one two.
  void pass(BoundThreads& threads, double others) {
    load_ = {load_.at + 1, load_.all + others + 2, load_.own + 2};
    threads.look();
  }

  const std::vector<pid_t> before_ = threads_of_process();
  Worker one_, two_;
  int cores_ = 0;
  Load load_;
  const BoundThreads::Ask ask_ = [this] { return load_; };
};

TEST_F(BoundThreadsTest, AreFreeWhileOthersUseTheCores) {
  BoundThreads threads(before_, 2, ask_);
  pass(threads, 0);
  EXPECT_EQ(one_.cores(), 1);
  pass(threads, 1);
  EXPECT_EQ(one_.cores(), cores_);
  EXPECT_EQ(two_.cores(), cores_);
  pass(threads, 0.2);  // neither few nor many: as before
  EXPECT_EQ(one_.cores(), cores_);
  pass(threads, 0);
  EXPECT_EQ(one_.cores(), 1);
  EXPECT_EQ(two_.cores(), 1);
}

TEST_F(BoundThreadsTest, AreBoundForPieces) {
  BoundThreads threads(before_, 2, ask_);
  pass(threads, 2);
  EXPECT_EQ(two_.cores(), cores_);
  threads.before_piece();
  EXPECT_EQ(one_.cores(), 1);
  EXPECT_EQ(two_.cores(), 1);
}

// One of them may be the program's.
TEST_F(BoundThreadsTest, StayAsTheyAreIfTheyAreNotAsManyAsTheDriverBinds) {
  BoundThreads threads(before_, 3, ask_);
  pass(threads, 2);
  EXPECT_EQ(one_.cores(), 1);
  EXPECT_EQ(two_.cores(), 1);
}

TEST_F(BoundThreadsTest, ThreadsFromBeforeAreTheProgramsOwn) {
  BoundThreads threads(threads_of_process(), 2, ask_);
  pass(threads, 2);
  EXPECT_EQ(one_.cores(), 1);
}

TEST(LoadOfMachine, CountsThisProcessToo) {
  const std::optional<Load> before = load_of_machine();
  ASSERT_TRUE(before);
  volatile unsigned count = 0;
  while (load_of_machine()->own < before->own + 0.1)
    count = count + 1;
  const std::optional<Load> after = load_of_machine();
  EXPECT_GT(after->at, before->at);
  EXPECT_GT(after->all, before->all + 0.05);  // a tick is 10 ms
}

}  // namespace
}  // namespace mkmd::vendor
