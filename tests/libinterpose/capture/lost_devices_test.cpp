// SPDX-License-Identifier: Apache-2.0
// What the loss of a real device costs. The fake driver's devices end nothing any more, refuse everything,
// and say that they are not available.
#include "tests/libinterpose/capture/known_results.hpp"
#include "tests/libinterpose/capture/virtual_context_test.hpp"

#include <gmock/gmock.h>

namespace mkmd {
namespace {

using testing::Each;

constexpr cl_ulong kNever = UINT64_MAX;

class LostDevicesTest : public VirtualContextTest {
protected:
  // These devices are gone so many nanoseconds after the program begins.
  void make(const std::vector<std::pair<int, cl_ulong>>& losses,
            const std::string& policy = Settings().policy) {
    VirtualContextTest::make({.devices = 3, .policy = policy, .losable = true});
    for (const auto& [device, after] : losses)
      c().driver()[static_cast<size_t>(device)].gone_at =
          after == kNever ? kNever : virtual_time::now() + after;
  }
  void lose(size_t device) { c().driver()[device].gone_at = virtual_time::now(); }
  bool is_left_out(int device) { return c().session().trouble.left_out(device); }
  bool results_are_right() { return mkmd::results_are_right(c(), kItems); }

  // At so many moments of the run; of each device, and of both.
  void lose_at_every_moment(const std::string& policy, int moments) {
    make({}, policy);
    const cl_ulong began = virtual_time::now();
    ASSERT_TRUE(results_are_right());
    const cl_ulong whole = virtual_time::now() - began;
    for (int i = 0; i <= moments; ++i) {
      const cl_ulong at = whole * static_cast<cl_ulong>(i) / static_cast<cl_ulong>(moments);
      for (const auto& losses : std::vector<std::vector<std::pair<int, cl_ulong>>>{
               {{1, at}}, {{2, at}}, {{1, at}, {2, at}}, {{1, at}, {2, at / 2}}}) {
        make(losses, policy);
        EXPECT_TRUE(results_are_right()) << policy << ", lost at " << at << " of " << whole;
      }
    }
  }
};

TEST_F(LostDevicesTest, WithoutALossAllDevicesWork) {
  make({}, "random-cuts:seed=1");
  EXPECT_TRUE(results_are_right());
  for (size_t d = 0; d < 3; ++d) {
    EXPECT_GT(c().driver()[d].kernels_run, 0) << d;
    EXPECT_FALSE(is_left_out(static_cast<int>(d)));
  }
}

TEST_F(LostDevicesTest, ALossBeforeTheStartCostsNoResults) {
  make({{1, 0}}, "random-cuts:seed=1");
  EXPECT_TRUE(results_are_right());
  EXPECT_EQ(c().driver()[1].kernels_run, 0);
  EXPECT_TRUE(is_left_out(1));
  EXPECT_FALSE(is_left_out(2));
}

TEST_F(LostDevicesTest, ALossAtAnyMomentCostsNoResults) {
  lose_at_every_moment(Settings().policy, 12);
  lose_at_every_moment("mkmd-malleable", 12);
  for (int seed = 0; seed < 3; ++seed)
    lose_at_every_moment("random-cuts:seed=" + std::to_string(seed), 8);
  lose_at_every_moment("single:fake1", 8);
}

TEST_F(LostDevicesTest, IsTheSameEachTime) {
  const auto run = [&] {
    make({{1, 1'500'000}, {2, 2'500'000}}, "random-cuts:seed=2");
    EXPECT_TRUE(results_are_right());
    return virtual_time::now();
  };
  EXPECT_EQ(run(), run());
}

// What only the lost memory had is computed again, also if nothing is captured any more.
TEST_F(LostDevicesTest, ResultsThatAreFinishedAreComputedAgain) {
  make({}, "single:fake1");
  const auto a = c().buffer(std::vector<float>(kItems, 1)), b = c().buffer(std::vector<float>(kItems));
  c().capture(c().twice(a, b));
  c().runtime().finish_all();
  ASSERT_EQ(c().driver()[1].kernels_run, 1);
  lose(1);
  cl_int status = CL_SUCCESS;
  EXPECT_THAT(c().values(b, &status), Each(3.0F));
  EXPECT_EQ(status, CL_SUCCESS);
  EXPECT_TRUE(is_left_out(1));
}

TEST_F(LostDevicesTest, ANativeCommandFindsWhatWasLost) {
  make({}, "single:fake1");
  const auto a = c().buffer(std::vector<float>(kItems, 1)), b = c().buffer(std::vector<float>(kItems));
  c().capture(c().twice(a, b));  // 3
  c().runtime().finish_all();
  lose(1);
  ASSERT_EQ(c().native_twice(b, a), CL_SUCCESS);  // 7
  EXPECT_THAT(c().values(a), Each(7.0F));
}

// What is computed again finds the bytes as they were.
TEST_F(LostDevicesTest, WhatChangesItsOwnInputIsComputedAgainFromTheStart) {
  make({}, "single:fake1");
  const auto a = c().buffer(std::vector<float>(kItems, 1));
  for (int i = 0; i < 3; ++i)
    c().capture(c().twice(a, a));  // 3, 7, 15
  c().runtime().finish_all();
  lose(1);
  EXPECT_THAT(c().values(a), Each(15.0F));
}

// The program's memory holds other bytes by then.
TEST_F(LostDevicesTest, WritesAreDoneAgainWithTheBytesOfThatTime) {
  make({}, "single:fake1");
  const auto a = c().buffer(std::vector<float>(kItems, 1)), b = c().buffer(std::vector<float>(kItems));
  std::vector<float> given(kItems, 2);
  c().capture(c().write(a, given));
  c().capture(c().twice(a, b));  // 5
  c().runtime().finish_all();
  given.assign(kItems, 4);
  c().capture(c().write(a, given));
  c().runtime().finish_all();
  given.assign(kItems, 6);
  lose(1);
  EXPECT_THAT(c().values(b), Each(5.0F));
  EXPECT_THAT(c().values(a), Each(4.0F));
}

// The bytes that are kept are those that the program's memory holds when the write begins.
TEST_F(LostDevicesTest, AWriteKeepsWhatAReadBeforeItBrings) {
  for (const std::string policy : {"single:fake1", "random-cuts:seed=1", "mkmd-malleable"}) {
    make({}, policy);
    const auto a = c().buffer(std::vector<float>(kItems, 1)), b = c().buffer(std::vector<float>(kItems));
    const auto x = c().buffer(std::vector<float>(kItems, 1)), y = c().buffer(std::vector<float>(kItems));
    std::vector<float> area(kItems, 9);
    c().capture(c().twice(x, y));
    c().capture(c().read(a, area));
    c().capture(c().write(b, area));
    c().runtime().finish_all();
    EXPECT_THAT(area, Each(1.0F)) << policy;
    EXPECT_THAT(c().values(b), Each(1.0F)) << policy;
  }
}

// What was there at first is overwritten at home, and what needs it is lost.
TEST_F(LostDevicesTest, WhatIsOverwrittenIsKept) {
  make({}, "single:fake1");
  const auto a = c().buffer(std::vector<float>(kItems, 1)), b = c().buffer(std::vector<float>(kItems));
  c().capture(c().twice(a, b));  // 3
  c().capture(c().twice(a, a));  // 3
  c().runtime().finish_all();
  EXPECT_THAT(c().values(a), Each(3.0F));  // at home, too
  lose(1);
  EXPECT_THAT(c().values(b), Each(3.0F));
  EXPECT_THAT(c().values(a), Each(3.0F));
}

// Nobody knows what a native command has written, but by its result. Everything else goes on.
TEST_F(LostDevicesTest, WhatNothingCanComputeAgainIsAnErrorOfWhatNeedsIt) {
  make({}, "single:fake1");
  const auto a = c().buffer(std::vector<float>(kItems, 1)), b = c().buffer(std::vector<float>(kItems));
  const auto other = c().buffer(std::vector<float>(kItems, 1));
  const auto given = c().buffer(std::vector<float>(kItems, 1.5F));
  c().capture(c().twice(a, b));  // 3
  c().runtime().finish_all();
  ASSERT_EQ(c().native_twice(given, a), CL_SUCCESS);  // 4
  lose(1);
  const auto needs_it = c().capture(c().sum(b, a, b));
  const auto needs_nothing = c().capture(c().twice(other, other));
  c().runtime().finish_all();
  EXPECT_EQ(needs_it->status, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(needs_nothing->status, CL_SUCCESS);
  cl_int status = CL_SUCCESS;
  c().values(b, &status);
  EXPECT_EQ(status, CL_OUT_OF_RESOURCES);
  EXPECT_THAT(c().values(a, &status), Each(4.0F));
  EXPECT_EQ(status, CL_SUCCESS) << "what is there is not lost with it";
  EXPECT_THAT(c().values(other), Each(3.0F));
  c().capture(c().fill(b, 6));
  c().runtime().finish_all();
  EXPECT_THAT(c().values(b, &status), Each(6.0F)) << "new bytes are not lost";
  EXPECT_EQ(status, CL_SUCCESS);
}

// The end of one server of PoCL-Remote ends the others' sessions, too, and nobody tells the client.
TEST_F(LostDevicesTest, ADeviceThatFallsSilentWithAnotherIsLost) {
  make({}, "random-cuts:seed=1");
  const cl_ulong began = virtual_time::now();
  ASSERT_TRUE(results_are_right());
  const cl_ulong whole = virtual_time::now() - began;
  for (const std::string policy : {"random-cuts:seed=1", "mkmd-malleable", "single:fake2"}) {
    for (cl_ulong i = 0; i <= 8; ++i) {
      make({{1, whole * i / 8}}, policy);
      c().driver()[2].mute_at = c().driver()[1].gone_at;
      EXPECT_TRUE(results_are_right()) << policy << ", lost at " << i << " of 8";
    }
  }
}

// It is found out before anything waits for that device, and its memory is let go of without its answer.
TEST_F(LostDevicesTest, AnIdleDeviceThatFallsSilentWithAnotherIsLost) {
  make({}, "random-cuts:seed=1");
  {
    const auto a = c().buffer(std::vector<float>(kItems, 1)), b = c().buffer(std::vector<float>(kItems));
    c().capture(c().twice(a, b));
    c().runtime().finish_all();
    lose(1);
    c().driver()[2].mute_at = virtual_time::now();
    EXPECT_THAT(c().values(b), Each(3.0F));
    EXPECT_TRUE(is_left_out(1));
    EXPECT_TRUE(is_left_out(2));
  }
  EXPECT_TRUE(results_are_right());
}

TEST_F(LostDevicesTest, ADeviceThatAnswersIsKept) {
  make({}, "single:fake1");
  const auto a = c().buffer(std::vector<float>(kItems, 1)), b = c().buffer(std::vector<float>(kItems));
  c().capture(c().twice(a, b));
  c().runtime().finish_all();
  lose(1);
  EXPECT_THAT(c().values(b), Each(3.0F));
  EXPECT_TRUE(is_left_out(1));
  EXPECT_FALSE(is_left_out(2));
}

TEST_F(LostDevicesTest, TheNextContextKnows) {
  make({{1, 0}}, "random-cuts:seed=1");
  EXPECT_TRUE(results_are_right());
  EXPECT_TRUE(results_are_right());
  EXPECT_EQ(c().driver()[1].kernels_run, 0);
}

}  // namespace
}  // namespace mkmd
