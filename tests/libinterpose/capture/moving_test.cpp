// SPDX-License-Identifier: Apache-2.0
// Launches too short to split, on devices of the fake driver: a slow home and a quick rival on its cores. The
// program asks before each launch, as api/ does.
#include "tests/libinterpose/capture/virtual_context_test.hpp"

#include <gmock/gmock.h>

namespace mkmd {
namespace {

using testing::Each;

class MovingTest : public VirtualContextTest {
protected:
  void SetUp() override {
    make({.separate = true, .rivals = true});
    device(0).per_item = 400;
    device(1).per_item = 100;
  }

  Ref<Memory> buffer(size_t items) { return c().buffer(std::vector<float>(items, 1)); }

  // Each is waited for. Returns how many went to home's queue.
  int launch(int times, const Ref<Memory>& in, const Ref<Memory>& out) {
    int native = 0;
    for (int i = 0; i < times; ++i) {
      const Ref<Command> command = c().twice(in, out);
      const KernelLaunch& asked = command->kernel()->launch;
      if (c().runtime().why_native(*asked.kernel, asked).why_not == nullptr) {
        c().runtime().wait(*c().capture(command));
        continue;
      }
      ++native;
      EXPECT_EQ(c().native_twice(in, out), CL_SUCCESS);
      const cl_command_queue queue = c().queue().native.get();
      EXPECT_EQ(vendor::table(queue).clFinish(queue), CL_SUCCESS);
    }
    return native;
  }
};

// With cores of their own.
class ComparingTest : public MovingTest {
protected:
  void SetUp() override {
    make({.separate = true});
    device(0).per_item = 400;
    device(1).per_item = 100;
  }
};

constexpr size_t kLong = 256 * VirtualContext::kLocal, kShort = 2 * VirtualContext::kLocal;

TEST_F(MovingTest, ShortLaunchesOfAKernelStayAtHomeUntilItWasMeasuredElsewhere) {
  EXPECT_EQ(launch(20, buffer(kShort), buffer(kShort)), 20);
  EXPECT_EQ(device(1).kernels_run, 0);
}

TEST_F(MovingTest, ThenTheyGoWhereTheyAreQuicker) {
  launch(20, buffer(kLong), buffer(kLong));
  ASSERT_GT(device(1).kernels_run, 10) << "long launches have shown which device is quicker";
  const Ref<Memory> in = buffer(kShort), out = buffer(kShort);
  launch(10, in, out);
  const int at_home = device(0).kernels_run, elsewhere = device(1).kernels_run;
  const cl_ulong began = virtual_time::now();
  EXPECT_EQ(launch(20, in, out), 0);
  const cl_ulong each = (virtual_time::now() - began) / 20;
  EXPECT_EQ(device(0).kernels_run, at_home);
  EXPECT_EQ(device(1).kernels_run, elsewhere + 20);
  EXPECT_LT(each, device(0).launch + static_cast<cl_ulong>(device(0).per_item * kShort)) << "nanoseconds";
  EXPECT_THAT(c().values(out), Each(3.0F));
}

TEST_F(ComparingTest, AfterTheFirstSplitALaunchShowsWhatTheQuickerDeviceTakesAlone) {
  const Ref<Memory> in = buffer(kLong), out = buffer(kLong);
  launch(1, in, out);
  const int at_home = device(0).kernels_run, elsewhere = device(1).kernels_run;
  ASSERT_GT(at_home, 0);
  ASSERT_GT(elsewhere, 0) << "it is new, so it was split";
  launch(1, in, out);
  EXPECT_EQ(device(0).kernels_run, at_home);
  EXPECT_GT(device(1).kernels_run, elsewhere);
  launch(10, in, out);
  EXPECT_GT(device(0).kernels_run, at_home) << "a split gains";
  EXPECT_THAT(c().values(out), Each(3.0F));
}

TEST_F(ComparingTest, OrTheQuickerHome) {
  device(0).per_item = 100;
  device(1).per_item = 400;
  const Ref<Memory> in = buffer(kLong), out = buffer(kLong);
  launch(1, in, out);
  const int at_home = device(0).kernels_run, elsewhere = device(1).kernels_run;
  ASSERT_GT(elsewhere, 0) << "it is new, so it was split";
  EXPECT_EQ(launch(1, in, out), 0) << "native launches are not timed";
  EXPECT_EQ(device(1).kernels_run, elsewhere);
  EXPECT_GT(device(0).kernels_run, at_home);
  launch(10, in, out);
  EXPECT_GT(device(1).kernels_run, elsewhere) << "a split gains";
  EXPECT_THAT(c().values(out), Each(3.0F));
}

TEST_F(ComparingTest, ASplitThatGainsAgainstTheQuickerHomeStaysSplit) {
  device(0).per_item = 100;
  device(1).per_item = 200;
  const Ref<Memory> in = buffer(kLong), out = buffer(kLong);
  launch(3, in, out);
  for (int i = 4; i < 50; ++i) {
    const int at_home = device(0).kernels_run, elsewhere = device(1).kernels_run;
    ASSERT_EQ(launch(1, in, out), 0) << i;
    ASSERT_GT(device(0).kernels_run, at_home) << i;
    ASSERT_GT(device(1).kernels_run, elsewhere) << i;
  }
  EXPECT_THAT(c().values(out), Each(3.0F));
}

// Two groups of work-items on the rival save less than capturing costs.
TEST_F(MovingTest, ButNotForLessThanCapturingCosts) {
  device(0).per_item = 200;
  launch(20, buffer(kLong), buffer(kLong));
  EXPECT_EQ(launch(20, buffer(kShort), buffer(kShort)), 20);
}

}  // namespace
}  // namespace mkmd
