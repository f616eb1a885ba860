// SPDX-License-Identifier: Apache-2.0
// The window, the two regimes, waits and flush points, on devices of the fake driver.
#include "tests/libinterpose/capture/virtual_context_test.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <numeric>

namespace mkmd {
namespace {

using testing::Each;
using Machine = VirtualContext::Machine;

std::vector<float> counting() {
  std::vector<float> values(kItems);
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

class RuntimeTest : public VirtualContextTest {
protected:
  int kernels_run() {
    int all = 0;
    for (size_t d = 0; d < 2; ++d)
      all += device(d).kernels_run;
    return all;
  }
  // One captured launch, whose result must be whole.
  void run_twice() {
    const auto in = c().buffer(counting()), out = c().buffer(std::vector<float>(kItems));
    c().capture(c().twice(in, out));
    const std::vector<float> result = c().values(out);
    for (size_t i = 0; i < kItems; ++i)
      ASSERT_EQ(result[i], static_cast<float>(i) * 2 + 1);
  }
};

TEST_F(RuntimeTest, ALaunchIsDividedAndItsResultIsWhole) {
  make({});
  ASSERT_NO_FATAL_FAILURE(run_twice());
  EXPECT_GT(device(0).kernels_run, 0);
  EXPECT_GT(device(1).kernels_run, 0);
}

TEST_F(RuntimeTest, NoDeviceIsGivenAnythingBeforeTheFirstCapture) {
  make({});
  const auto in = c().buffer(counting()), out = c().buffer(std::vector<float>(kItems));
  const auto used = [&] {
    return std::ranges::any_of(c().driver().queues,
                               [](const fake::Queue* queue) { return queue->free_at > 0; });
  };
  EXPECT_FALSE(used()) << "a program that captures nothing waits for no device";
  c().capture(c().twice(in, out));
  EXPECT_TRUE(used()) << "clocks are read";
  EXPECT_EQ(c().values(out)[3], 7);
}

// The first window begins behind native work, whose end has no time on home's clock.
TEST_F(RuntimeTest, OutcomesAreKnownWhereTheDevicesClockIsAheadOfTheHosts) {
  for (const cl_ulong ahead : {0, 1'000'000}) {
    make({});
    c().driver().clocks_ahead = ahead;
    const auto a = c().buffer(counting()), b = c().buffer(std::vector<float>(kItems));
    ASSERT_EQ(c().native_twice(a, b), CL_SUCCESS);
    c().capture(c().twice(a, b));
    c().runtime().finish_all();
    size_t noted = 0;
    for (const TimeModel::Taught& of : c().session().times().taught()) {
      for (const auto& [length, outcomes] : of.model->history.captured.keep(0))
        noted += outcomes.noted;
    }
    EXPECT_GT(noted, 0U) << ahead;
  }
}

TEST_F(RuntimeTest, PiecesOfAProgramInSpirvAreLaunchedWithAnOffset) {
  for (const bool takes_spirv : {true, false}) {
    make({.in_spirv = true});
    c().driver().compiler.takes_spirv = takes_spirv;
    ASSERT_NO_FATAL_FAILURE(run_twice());
    EXPECT_GT(device(0).kernels_run, 0);
    EXPECT_EQ(device(1).kernels_run > 0, takes_spirv);
  }
}

// PoCL compiles a kernel in SPIR-V once more for an offset, and knows less of its ids then.
TEST_F(RuntimeTest, AProgramInSpirvRunsWholeOnPocl) {
  make({.in_spirv = true, .pocl = true});
  ASSERT_NO_FATAL_FAILURE(run_twice());
  EXPECT_GT(device(0).kernels_run, 0);
  EXPECT_EQ(device(1).kernels_run, 0);
}

// PoCL would compile the kernel once more. The driver of these tests gives ids by the form that its program
// is built for.
TEST_F(RuntimeTest, PiecesAreLaunchedWithAnOffsetButByPocl) {
  for (const bool pocl : {false, true}) {
    make({.pocl = pocl});
    ASSERT_NO_FATAL_FAILURE(run_twice());
    EXPECT_GT(device(0).kernels_run, 0);
    EXPECT_GT(device(1).kernels_run, 0);
    EXPECT_EQ(device(0).kernels_by_offset + device(1).kernels_by_offset > 0, !pocl);
  }
}

TEST_F(RuntimeTest, NothingRunsBeforeTheWindowIsClosed) {
  make({});
  const auto a = c().buffer(counting()), b = c().buffer(counting());
  for (int i = 0; i < 4; ++i)
    c().capture(c().fill(a, 1));
  c().capture(c().twice(a, b));  // one launch, since exploring windows are short
  EXPECT_TRUE(c().runtime().capturing());
  virtual_time::advance_to(virtual_time::now() + 1'000'000'000);
  EXPECT_EQ(kernels_run(), 0);
  c().runtime().windows().flush();
  EXPECT_TRUE(c().runtime().capturing()) << "a flush waits for nothing";
  c().runtime().finish_all();
  EXPECT_FALSE(c().runtime().capturing());
  EXPECT_GE(kernels_run(), 1);
}

TEST_F(RuntimeTest, AFullWindowClosesByItself) {
  make({.policy = "heft"});  // with which nothing explores
  const auto a = c().buffer(counting()), b = c().buffer(counting());
  for (int i = 0; i < 255; ++i)
    c().capture(c().fill(a, 1));
  const auto actions = [&] {
    return std::any_of(c().driver().queues.begin(), c().driver().queues.end(),
                       [](const fake::Queue* queue) { return !queue->commands.empty(); });
  };
  EXPECT_FALSE(actions());
  c().capture(c().copy(a, b));
  EXPECT_TRUE(actions());
  EXPECT_THAT(c().values(b), Each(1.0F));
}

// Threads that go on launching would keep exit() waiting. They wait no longer than it does.
TEST_F(RuntimeTest, NothingIsCapturedWhileExitWaits) {
  make({});
  const auto in = c().buffer(counting()), out = c().buffer(std::vector<float>(kItems));
  const auto began = std::chrono::steady_clock::now();
  {
    const Admission::Closed closed(c().session().admission);
    c().capture(c().twice(in, out));
    EXPECT_GE(std::chrono::steady_clock::now() - began, kLongestExit);
  }
  EXPECT_TRUE(c().runtime().capturing());
  EXPECT_EQ(c().values(out)[3], 7);
}

TEST_F(RuntimeTest, WaitsForOneCommandOnly) {
  make({.policy = "heft"});
  const auto a = c().buffer(counting()), b = c().buffer(counting()), x = c().buffer(counting());
  const auto first = c().capture(c().twice(a, b));
  Ref<Command> last;
  for (int i = 0; i < 20; ++i)
    last = c().capture(c().twice(b, x));
  c().runtime().wait(*first);
  EXPECT_TRUE(first->done);
  EXPECT_FALSE(last->done);
  c().runtime().finish(c().queue());
  EXPECT_TRUE(last->done);
}

TEST_F(RuntimeTest, AnEventIsCompleteWithItsCommandAndHasItsTimes) {
  make({});
  const auto a = c().buffer(counting()), b = c().buffer(counting());
  const auto command = c().twice(a, b);
  const auto event = c().with_event(command);
  c().capture(command);
  EXPECT_EQ(event->status.load(), CL_QUEUED);
  c().runtime().wait(*event);
  EXPECT_EQ(event->status.load(), CL_COMPLETE);
  EXPECT_LE(event->times[0].load(), event->times[1].load());
  EXPECT_LE(event->times[1].load(), event->times[2].load());
  EXPECT_LT(event->times[2].load(), event->times[3].load());
}

TEST_F(RuntimeTest, CapturedWorkComesAfterNativeWorkAndNativeWorkAfterIt) {
  for (const bool separate : {false, true}) {
    make({.separate = separate});
    const auto a = c().buffer(std::vector<float>(kItems, 1)), b = c().buffer(counting());
    ASSERT_EQ(c().native_twice(a, b), CL_SUCCESS);  // b = 3
    c().capture(c().twice(b, a));                   // a = 7
    c().capture(c().twice(a, b));                   // b = 15
    ASSERT_EQ(c().native_twice(b, a), CL_SUCCESS);  // a = 31
    EXPECT_FALSE(c().runtime().capturing()) << "the native regime is back";
    c().capture(c().twice(a, b));
    EXPECT_THAT(c().values(b), Each(63.0F));
    EXPECT_THAT(c().values(a), Each(31.0F));
  }
}

TEST_F(RuntimeTest, NothingIsCapturedBehindAnUnsetUserEvent) {
  make({});
  const auto a = c().buffer(counting()), b = c().buffer(counting());
  ++c().queue().context->unset_user_events;
  EXPECT_FALSE(c().runtime().capture(c().twice(a, b), {}));
  EXPECT_FALSE(c().runtime().capturing());
  --c().queue().context->unset_user_events;
  c().capture(c().twice(a, b));
  EXPECT_TRUE(c().runtime().capturing());
}

TEST_F(RuntimeTest, NothingIsCapturedBesideWorkThatMayWaitForTheProgram) {
  make({});
  const auto a = c().buffer(counting()), b = c().buffer(counting());
  const cl_command_queue native = c().queue().native.get();
  ASSERT_EQ(c().native_twice(a, b), CL_SUCCESS);
  cl_event end = nullptr;
  ASSERT_EQ(vendor::table(native).clEnqueueMarkerWithWaitList(native, 0, nullptr, &end), CL_SUCCESS);
  c().runtime().native_work().note_waiting(vendor::Owned<cl_event>(end));
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(c().runtime().capture(c().twice(b, a), {}));
    EXPECT_FALSE(c().runtime().capturing());
    ASSERT_EQ(c().native_twice(b, a), CL_SUCCESS);
  }
  vendor::table(native).clFinish(native);
  c().capture(c().twice(a, b));
  EXPECT_TRUE(c().runtime().capturing());
}

TEST_F(RuntimeTest, BytesGoWhereTheyAreNeeded) {
  make({.separate = true});
  const auto a = c().buffer(std::vector<float>(kItems, 1)), b = c().buffer(counting());
  std::vector<float> later;
  c().capture(c().fill(a, 2));
  c().capture(c().twice(a, b));   // b = 5
  c().capture(c().sum(a, b, a));  // a = 7
  const auto reads = c().capture(c().read(a, later));
  c().capture(c().copy(b, a));
  c().runtime().wait(*reads);
  EXPECT_THAT(later, Each(7.0F));
  EXPECT_THAT(c().values(a), Each(5.0F));
  EXPECT_GT(device(1).kernels_run, 0);
}

// What may not be split runs whole on another device, too.
TEST_F(RuntimeTest, WholeKernelsRunSideBySide) {
  for (const bool separate : {false, true}) {
    make({.separate = separate});
    const auto a = c().buffer(std::vector<float>(kItems, 1)), b = c().buffer(std::vector<float>(kItems, 2));
    const auto x = c().buffer({0}), y = c().buffer({0});
    for (int i = 0; i < 8; ++i) {
      c().capture(c().launch("tally", {a, x}));
      c().capture(c().launch("tally", {b, y}));
    }
    c().runtime().finish_all();
    EXPECT_GT(device(0).kernels_run, 0);
    EXPECT_GT(device(1).kernels_run, 0);
    EXPECT_EQ(kernels_run(), 16);
    std::vector<float> counted{c().values(x)[0], c().values(y)[0]};
    EXPECT_EQ(reinterpret_cast<int32_t&>(counted[0]), 8 * static_cast<int32_t>(kItems));
    EXPECT_EQ(reinterpret_cast<int32_t&>(counted[1]), 16 * static_cast<int32_t>(kItems));
  }
}

// Bytes that one device made whole are where the next kernel needs them.
TEST_F(RuntimeTest, WholeKernelsChangeTheirBuffersAsAWhole) {
  for (const int device : {0, 1}) {
    make({.separate = true, .policy = "single:" + std::to_string(device)});
    const auto a = c().buffer(std::vector<float>(kItems, 1)), b = c().buffer(std::vector<float>(kItems));
    const auto numbers = c().buffer({0, 5});
    for (int i = 0; i < 3; ++i) {
      c().capture(c().twice(a, b));                    // 3
      c().capture(c().launch("tally", {b, numbers}));  // in place, at 3 % 2
      EXPECT_EQ(c().native_twice(a, b), CL_SUCCESS);
      c().capture(c().launch("tally", {a, numbers}));  // at 1 % 2
    }
    c().runtime().finish_all();
    std::vector<float> counted = c().values(numbers);
    EXPECT_EQ(counted[0], 0);
    const float five = 5;
    EXPECT_EQ(reinterpret_cast<int32_t&>(counted[1]),
              reinterpret_cast<const int32_t&>(five) + 3 * 4 * static_cast<int32_t>(kItems));
  }
}

// Drivers that work in home's own bytes keep the program's order there, and nothing is elsewhere.
TEST_F(RuntimeTest, DriversThatWorkInHomesBytesNeedNoCopies) {
  const auto run = [&](const Machine& machine) {
    make(machine);
    device(1).per_item = 70;
    const auto a = c().buffer(std::vector<float>(kItems, 1)), b = c().buffer(counting());
    const auto x = c().buffer(std::vector<float>(kItems, 2));
    for (int i = 0; i < 4; ++i) {
      c().capture(c().twice(a, b));
      c().capture(c().fill(a, 3));  // which it has read
      c().capture(c().sum(a, b, x));
      c().capture(c().copy(x, a));
      c().capture(c().twice(x, b));
      EXPECT_EQ(c().native_twice(b, x), CL_SUCCESS);
      EXPECT_TRUE(c().runtime().session().configuration.domain_count == 1 || b->storage->home_only.load());
      c().capture(c().sum(a, x, a));
    }
    EXPECT_GT(device(1).kernels_run, 0);
    return std::vector{c().values(a), c().values(b), c().values(x)};
  };
  EXPECT_EQ(run({.separate = true, .host_bytes = true}), run({}));
}

TEST_F(RuntimeTest, IsTheSameEachTime) {
  const auto run = [&](bool separate) {
    make({.separate = separate});
    const auto a = c().buffer(counting()), b = c().buffer(counting());
    for (int i = 0; i < 40; ++i)
      c().capture(i % 2 == 0 ? c().twice(a, b) : c().sum(a, b, a));
    c().runtime().finish_all();
    return std::pair(virtual_time::now(), std::pair(device(0).kernels_run, device(1).kernels_run));
  };
  for (const bool separate : {false, true})
    EXPECT_EQ(run(separate), run(separate));
}

// What a helper fails at costs time and changes nothing.
class FailingHelper : public RuntimeTest, public testing::WithParamInterface<Machine> {
protected:
  void SetUp() override { make(GetParam()); }
  void expect_results() {
    const auto a = c().buffer(std::vector<float>(kItems, 1)), b = c().buffer(counting());
    const auto x = c().buffer(counting());
    for (int i = 0; i < 3; ++i) {
      c().capture(c().twice(a, b));   // 3, 9, 27
      c().capture(c().sum(a, b, x));  // 4, 13, 40
      c().runtime().finish_all();     // before what they read is overwritten
      c().capture(c().copy(x, a));
    }
    cl_int status = CL_SUCCESS;
    EXPECT_THAT(c().values(x, &status), Each(40.0F));
    EXPECT_EQ(status, CL_SUCCESS);
    EXPECT_THAT(c().values(b), Each(27.0F));
    EXPECT_EQ(c().runtime().executor().failed(), CL_SUCCESS);
  }
};

TEST_P(FailingHelper, RefusesCalls) {
  device(1).calls_fail = 2;
  expect_results();
}

TEST_P(FailingHelper, FailsAtKernels) {
  device(1).kernels_fail = 2;
  expect_results();
}

TEST_P(FailingHelper, FailsAtFlushes) {
  device(1).flushes_fail = 3;
  expect_results();
}

TEST_P(FailingHelper, NeverCallsBack) {
  device(1).says_nothing = true;
  expect_results();
}

TEST_P(FailingHelper, IsLeftOutInTheEnd) {
  device(1).kernels_fail = 1000;
  expect_results();
  EXPECT_TRUE(c().session().trouble.left_out(1));
  const int before = device(1).kernels_run;
  expect_results();
  EXPECT_EQ(device(1).kernels_run, before);
}

INSTANTIATE_TEST_SUITE_P(Memories, FailingHelper,
                         testing::Values(Machine{}, Machine{.separate = true},
                                         Machine{.separate = true, .host_bytes = true}));

// The copy may have run before it was known that the kernel before it had failed, and what that has read is
// gone.
TEST_F(RuntimeTest, TheContextIsLostWhereWhatAFailedKernelReadIsOverwritten) {
  make({.policy = "single:fake1"});
  const auto a = c().buffer(std::vector<float>(kItems, 1)), b = c().buffer(counting());
  device(1).kernels_fail = 1;
  c().capture(c().twice(a, b));
  c().capture(c().twice(b, a));
  c().runtime().finish_all();
  EXPECT_EQ(c().runtime().executor().failed(), CL_OUT_OF_RESOURCES);
}

TEST_F(RuntimeTest, AFailureAtHomeIsTheContextsEnd) {
  make({});
  const auto a = c().buffer(counting()), b = c().buffer(counting());
  device(0).kernels_fail = 1;
  c().capture(c().twice(a, b));
  c().runtime().finish_all();
  EXPECT_EQ(c().runtime().executor().failed(), CL_OUT_OF_RESOURCES);
  const auto later = c().capture(c().twice(b, a));
  c().runtime().finish_all();
  EXPECT_EQ(later->status, CL_OUT_OF_RESOURCES);
}

}  // namespace
}  // namespace mkmd
