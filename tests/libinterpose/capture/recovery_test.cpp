// SPDX-License-Identifier: Apache-2.0
// What the loss of a device costs: an emulated machine in virtual time, whose real devices are those of the
// fake driver.
#include "tests/libinterpose/capture/known_results.hpp"
#include "tests/libinterpose/capture/virtual_context_test.hpp"

#include <gmock/gmock.h>

namespace mkmd {
namespace {

using testing::Each;

// A CPU and two GPUs, each with a memory of its own.
emulation::PlatformFile machine() {
  emulation::PlatformFile p;
  p.jitter = 0;
  p.bw = 1e9;
  p.lat = 1e-6;
  const platform::Rates rates{1e9, 1e9, 1e9, 1e9};
  p.devices = {{.name = "c", .mem = 0, .launch = 1e-5, .rates = rates},
               {.name = "g", .mem = 1, .launch = 1e-5, .rates = rates},
               {.name = "h", .mem = 2, .launch = 1e-5, .rates = rates}};
  return p;
}

class RecoveryTest : public VirtualContextTest {
protected:
  // These devices fail so many seconds after the first action.
  void make(const std::vector<std::pair<int, double>>& losses,
            const std::string& policy = Settings().policy) {
    emulation::PlatformFile platform = machine();
    for (const auto& [device, at] : losses)
      platform.events.push_back({.at = at, .device = device, .kind = emulation::EventSpec::Kind::fails});
    VirtualContextTest::make({.emulated = std::move(platform), .policy = policy});
  }
  uint64_t done_again() { return c().emulated()->totals().again; }

  bool results_are_right() { return mkmd::results_are_right(c(), kItems); }
};

TEST_F(RecoveryTest, WithoutALossNothingIsDoneAgain) {
  make({{1, 1000.0}});
  EXPECT_TRUE(results_are_right());
  EXPECT_EQ(done_again(), 0u);
  for (size_t d = 0; d < 3; ++d)
    EXPECT_GT(c().driver()[d].kernels_run, 0) << d;
}

// At whatever moment, also while copies are in flight.
TEST_F(RecoveryTest, ALossAtAnyMomentCostsNoResults) {
  make({{1, 1000.0}});
  const cl_ulong began = virtual_time::now();
  ASSERT_TRUE(results_are_right());
  const double whole = static_cast<double>(virtual_time::now() - began) * 1e-9;
  uint64_t again = 0;
  constexpr int kMoments = 60;
  for (int i = 0; i <= kMoments; ++i) {
    make({{1, whole * i / kMoments}});
    EXPECT_TRUE(results_are_right()) << "lost at " << i;
    again += done_again();
  }
  EXPECT_GT(again, kMoments / 4u);
}

TEST_F(RecoveryTest, HomeAloneIsEnough) {
  for (int i = 0; i < 30; ++i) {
    make({{1, 1e-3 * i}, {2, 0.5e-3 * i}});
    EXPECT_TRUE(results_are_right()) << i;
  }
}

TEST_F(RecoveryTest, IsTheSameEachTime) {
  const auto run = [&] {
    make({{1, 10e-3}, {2, 20e-3}});
    EXPECT_TRUE(results_are_right());
    return std::pair(virtual_time::now(), done_again());
  };
  EXPECT_EQ(run(), run());
}

// What only the lost memory had is computed again, also if nothing is captured any more.
TEST_F(RecoveryTest, ResultsThatAreFinishedAreComputedAgain) {
  make({{1, 1.0}}, "single:fake1");
  const auto a = c().buffer(std::vector<float>(kItems, 1)), b = c().buffer(std::vector<float>(kItems));
  c().capture(c().twice(a, b));
  c().runtime().finish_all();
  ASSERT_EQ(c().driver()[1].kernels_run, 1);
  virtual_time::advance_to(virtual_time::now() + 2'000'000'000);
  cl_int status = CL_SUCCESS;
  EXPECT_THAT(c().values(b, &status), Each(3.0F));
  EXPECT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(done_again(), 1u);
}

TEST_F(RecoveryTest, ANativeCommandFindsWhatWasLost) {
  make({{1, 1.0}}, "single:fake1");
  const auto a = c().buffer(std::vector<float>(kItems, 1)), b = c().buffer(std::vector<float>(kItems));
  c().capture(c().twice(a, b));  // 3
  c().runtime().finish_all();
  virtual_time::advance_to(virtual_time::now() + 2'000'000'000);
  ASSERT_EQ(c().native_twice(b, a), CL_SUCCESS);  // 7
  EXPECT_THAT(c().values(a), Each(7.0F));
}

// The program's memory holds other bytes by then.
TEST_F(RecoveryTest, WritesAreDoneAgainWithTheBytesOfThatTime) {
  make({{1, 1.0}}, "single:fake1");
  const auto a = c().buffer(std::vector<float>(kItems, 1)), b = c().buffer(std::vector<float>(kItems));
  std::vector<float> given(kItems, 2);
  c().capture(c().write(a, given));
  c().capture(c().twice(a, b));  // 5
  c().runtime().finish_all();
  given.assign(kItems, 4);
  c().capture(c().write(a, given));
  c().runtime().finish_all();
  virtual_time::advance_to(virtual_time::now() + 2'000'000'000);
  cl_int status = CL_SUCCESS;
  EXPECT_THAT(c().values(b, &status), Each(5.0F));
  EXPECT_EQ(status, CL_SUCCESS);
  EXPECT_THAT(c().values(a, &status), Each(4.0F));
  EXPECT_EQ(status, CL_SUCCESS);
}

}  // namespace
}  // namespace mkmd
