// SPDX-License-Identifier: Apache-2.0
// When index buffers are looked into, what that may cost, and how long what they have shown holds.
#include "tests/libinterpose/capture/virtual_context_test.hpp"

#include "common/host_clock.hpp"
#include "libinterpose/memory/storage.hpp"
#include "tests/libinterpose/fakes/virtual_time.hpp"

#include <bit>
#include <random>

namespace mkmd {
namespace {

using Numbers = std::vector<int32_t>;
using Shown = std::shared_ptr<const Inspection>;

std::vector<float> as_bytes(const Numbers& numbers) {
  std::vector<float> bytes;
  for (const int32_t number : numbers)
    bytes.push_back(std::bit_cast<float>(number));
  return bytes;
}

class InspectorTest : public VirtualContextTest {
protected:
  static constexpr size_t kItems = 64 * VirtualContext::kLocal;

  void SetUp() override { begin("random-cuts:seed=1"); }
  void TearDown() override { end(); }

  // The fake driver does not keep the buffers of what it has not done.
  void end() {
    if (context_ == nullptr) return;
    const cl_command_queue queue = c().queue().native.get();
    EXPECT_EQ(vendor::table(queue).clFinish(queue), CL_SUCCESS);
    c().runtime().finish_all();
    while (c().driver().advance(UINT64_MAX)) {
    }
    index_ = out_ = other_ = {};
  }

  void begin(const std::string& policy, bool separate = false) {
    end();
    make({.separate = separate, .policy = policy});
    expected_.assign(kItems, 1);
    index_ = c().buffer(as_bytes(permutation(5)));
    out_ = c().buffer(expected_);
    other_ = c().buffer(std::vector<float>(kItems, 0));
  }

  static Numbers permutation(size_t step) {  // an odd one
    Numbers numbers(kItems);
    for (size_t i = 0; i < kItems; ++i)
      numbers[i] = static_cast<int32_t>(i * step % kItems);
    return numbers;
  }
  // Two work-items of other work-groups have one place.
  static Numbers meeting() {
    Numbers numbers = permutation(1);
    numbers.back() = 0;
    return numbers;
  }

  void expect_of(const Numbers& numbers) {
    for (size_t i = 0; i < numbers.size(); ++i) {
      float& at = expected_[static_cast<size_t>(numbers[i])];
      at = VirtualContext::scattered(at, i);
    }
  }
  static Shown shown(const Ref<Command>& command) { return command->kernel()->launch.inspection; }
  static bool shows_apart(const Ref<Command>& command) {
    const Shown of = shown(command);
    return of != nullptr && of->apart.size() == 1;
  }
  Ref<Command> scatter() { return c().scatter(index_, out_); }
  int launched() { return device(0).kernels_run + device(1).kernels_run; }
  fake::Buffer& native_index() { return *reinterpret_cast<fake::Buffer*>(index_->native.get()); }
  void write_natively(const Numbers& numbers) {
    ASSERT_EQ(c().native_write(index_, as_bytes(numbers)), CL_SUCCESS);
  }

  std::vector<float> expected_;
  Ref<Memory> index_, out_, other_;
};

TEST_F(InspectorTest, WhatIsApartIsSplit) {
  c().capture(scatter());
  expect_of(permutation(5));
  EXPECT_EQ(c().values(out_), expected_);
  EXPECT_GT(launched(), 1);
}

TEST_F(InspectorTest, WhatMeetsRunsWhole) {
  write_natively(meeting());
  const Ref<Command> command = scatter();
  ASSERT_NE(shown(command), nullptr);
  EXPECT_FALSE(shows_apart(command));
  c().capture(command);
  expect_of(meeting());
  EXPECT_EQ(c().values(out_), expected_);
  EXPECT_EQ(launched(), 1);
}

TEST_F(InspectorTest, TheSameBytesAreNotLookedAtAgain) {
  const Ref<Command> first = scatter(), second = scatter();
  c().capture(first);
  c().capture(second);
  const Ref<Command> third = scatter();  // bytes cannot be read now
  ASSERT_TRUE(shows_apart(first));
  EXPECT_EQ(shown(second), shown(first));
  EXPECT_EQ(shown(third), shown(first));
}

TEST_F(InspectorTest, ACapturedWriteEndsWhatWasShown) {
  const Ref<Command> looked_at = scatter();
  ASSERT_TRUE(shows_apart(looked_at));
  const std::vector<float> bytes = as_bytes(meeting());
  c().capture(c().write(index_, bytes));
  c().capture(looked_at);
  EXPECT_EQ(shown(looked_at), nullptr);
  EXPECT_EQ(shown(scatter()), nullptr) << "what is captured may not be read yet";
  expect_of(meeting());
  EXPECT_EQ(c().values(out_), expected_);
  EXPECT_EQ(launched(), 1);
}

TEST_F(InspectorTest, SoDoesACapturedKernelOrCopyOrFill) {
  for (int way = 0; way < 3; ++way) {
    SCOPED_TRACE(way);
    begin("random-cuts:seed=1");
    const Ref<Command> looked_at = scatter();
    ASSERT_TRUE(shows_apart(looked_at));
    c().capture(way == 0   ? c().sum(other_, other_, index_)
                : way == 1 ? c().copy(other_, index_)
                           : c().fill(index_, 0));
    c().capture(looked_at);
    EXPECT_EQ(shown(looked_at), nullptr);
  }
}

TEST_F(InspectorTest, ACapturedWriteOfAnotherBufferDoesNot) {
  const Ref<Command> looked_at = scatter();
  c().capture(c().copy(other_, out_));
  c().capture(looked_at);
  EXPECT_TRUE(shows_apart(looked_at));
  expected_.assign(kItems, 0);
  expect_of(permutation(5));
  EXPECT_EQ(c().values(out_), expected_);
}

TEST_F(InspectorTest, ANativeCommandEndsWhatWasShown) {
  const Ref<Command> looked_at = scatter();
  ASSERT_TRUE(shows_apart(looked_at));
  write_natively(meeting());
  c().capture(looked_at);
  EXPECT_EQ(shown(looked_at), nullptr);
  expect_of(meeting());
  EXPECT_EQ(c().values(out_), expected_);
  EXPECT_EQ(launched(), 1);
}

TEST_F(InspectorTest, TheSameContentsShowTheSameAgain) {
  const Ref<Command> first = scatter();
  ASSERT_TRUE(shows_apart(first));
  write_natively(permutation(5));
  const Ref<Command> second = scatter();
  ASSERT_TRUE(shows_apart(second));
  EXPECT_NE(shown(second), shown(first));
  EXPECT_EQ(shown(second)->number, shown(first)->number);
  write_natively(permutation(7));
  EXPECT_NE(shown(scatter())->number, shown(first)->number);
}

TEST_F(InspectorTest, WhatTheHostMayWriteIsNotLookedAt) {
  native_index().maps = 1;
  EXPECT_EQ(shown(scatter()), nullptr);
  native_index().maps = 0;
  native_index().flags |= CL_MEM_USE_HOST_PTR;
  EXPECT_EQ(shown(scatter()), nullptr);
  native_index().flags = CL_MEM_READ_WRITE;
  EXPECT_TRUE(shows_apart(scatter()));
}

TEST_F(InspectorTest, ALaunchThatWritesItsOwnIndexBufferIsNotLookedAt) {
  EXPECT_EQ(shown(c().scatter(index_, index_)), nullptr);
}

TEST_F(InspectorTest, ItWaitsForNativeWorkAndReadsBehindIt) {
  ASSERT_EQ(c().native_twice(other_, other_), CL_SUCCESS);
  const double began = host_seconds();
  EXPECT_TRUE(shows_apart(scatter()));
  EXPECT_GT(host_seconds(), began);
}

TEST_F(InspectorTest, ItWaitsNoLongerThanTheBudgetLasts) {
  begin(Settings().policy);
  device(0).per_item = 1e6;
  ASSERT_EQ(c().native_twice(other_, other_), CL_SUCCESS);
  const double began = host_seconds();
  EXPECT_EQ(shown(scatter()), nullptr);
  EXPECT_LE(host_seconds() - began, timing::kLimits.free_exploring * 1.1);
  const double again = host_seconds();
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(shown(scatter()), nullptr);
  EXPECT_LE(host_seconds() - again, timing::kLimits.free_exploring * 0.1);
}

TEST_F(InspectorTest, NoLaunchWaitsLongerHoweverOldTheProgramIs) {
  EXPECT_TRUE(shows_apart(scatter()));
  virtual_time::advance_to(virtual_time::now() + 1'000'000'000'000);
  device(0).per_item = 1e7;
  ASSERT_EQ(c().native_twice(other_, other_), CL_SUCCESS);
  const double began = host_seconds();
  EXPECT_EQ(shown(scatter()), nullptr);
  EXPECT_GE(host_seconds() - began, timing::kLimits.longest_look * 0.9);
  EXPECT_LE(host_seconds() - began, timing::kLimits.longest_look * 1.1);
  const double again = host_seconds();
  EXPECT_EQ(shown(scatter()), nullptr);
  EXPECT_LE(host_seconds() - again, timing::kLimits.longest_look * 0.1) << "it was in vain";
}

TEST_F(InspectorTest, AReadThatDoesNotEndIsGivenUp) {
  device(0).per_byte = 1e6;
  const double began = host_seconds();
  EXPECT_EQ(shown(scatter()), nullptr);
  EXPECT_LE(host_seconds() - began, timing::kLimits.longest_look * 1.1);
  device(0).per_byte = 0.1;
  c().capture(scatter());
  expect_of(permutation(5));
  EXPECT_EQ(c().values(out_), expected_);
}

TEST_F(InspectorTest, ADriverThatRefusesToReadCostsLessAndLess) {
  std::vector<int> refused;
  for (int launch = 0; launch < 20; ++launch) {
    device(0).calls_fail = 1;
    EXPECT_EQ(shown(scatter()), nullptr);
    if (device(0).calls_fail == 0) refused.push_back(launch);
    device(0).calls_fail = 0;
  }
  EXPECT_EQ(refused, (std::vector<int>{0, 3, 8, 17}));
  c().capture(scatter());
  expect_of(permutation(5));
  EXPECT_EQ(c().values(out_), expected_);
}

TEST_F(InspectorTest, WhatIsLookedAtInVainIsLookedAtLessAndLess) {
  std::vector<int> looked_at;
  for (int launch = 0; launch < 20; ++launch) {
    write_natively(meeting());  // ends what is known
    if (shown(scatter()) != nullptr) looked_at.push_back(launch);
  }
  EXPECT_EQ(looked_at, (std::vector<int>{0, 3, 8, 17}));
}

TEST_F(InspectorTest, OneThatShowsSomethingIsLookedAtEachTime) {
  for (const size_t step : {3, 5, 7, 9, 11}) {
    write_natively(permutation(step));
    EXPECT_TRUE(shows_apart(scatter())) << step;
  }
}

TEST_F(InspectorTest, TooManyBytesAreNotRead) {
  const size_t most = (size_t{64} << 20) / sizeof(float);
  const Ref<Memory> large = c().buffer(std::vector<float>(most + VirtualContext::kLocal));
  EXPECT_EQ(shown(c().scatter(large, out_)), nullptr);
}

class SeparateMemories : public InspectorTest {
protected:
  void SetUp() override { begin("random-cuts:seed=1", true); }

  // Rows of 64 change places, not those of one work-group.
  static Numbers rows() {
    Numbers numbers(kItems);
    for (size_t i = 0; i < kItems; ++i)
      numbers[i] = static_cast<int32_t>(((i + 32) / 64 * 5 % 64 * 64 + i % 64) % kItems);
    return numbers;
  }
};

TEST_F(SeparateMemories, GetWhatTheirPiecesWrite) {
  write_natively(rows());
  c().capture(scatter());
  expect_of(rows());
  EXPECT_EQ(c().values(out_), expected_);
  EXPECT_GT(launched(), 1);
}

TEST_F(SeparateMemories, RunWholeWhatWritesInTooManyPlaces) {
  c().capture(scatter());
  expect_of(permutation(5));
  EXPECT_EQ(c().values(out_), expected_);
  EXPECT_EQ(launched(), 1);
}

TEST_F(SeparateMemories, ReadIndicesWhereHomeHasThem) {
  write_natively(rows());
  const auto half = c().buffer(std::vector<float>(kItems, 0));
  c().capture(c().twice(half, half));
  c().runtime().finish_all();
  const Ref<Command> command = scatter();
  EXPECT_TRUE(shows_apart(command)) << "another buffer is elsewhere";
  EXPECT_NE(shown(command)->owned, nullptr);
  c().capture(c().sum(half, half, index_));  // partly on the other device
  c().runtime().finish_all();
  if (index_->storage->regions.all_valid(0)) return;
  EXPECT_EQ(shown(scatter()), nullptr);
}

TEST_F(SeparateMemories, GetTheResultsOfOneAfterManyLaunches) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    begin("random-cuts:seed=" + std::to_string(seed), true);
    write_natively(rows());
    for (int round = 0; round < 6; ++round) {
      c().capture(scatter());
      expect_of(rows());
      if (round % 2 == 0) c().runtime().finish_all();
    }
    EXPECT_EQ(c().values(out_), expected_) << seed;
  }
}

// Whatever changes the index buffer between launches.
TEST_F(InspectorTest, AnyOrder) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    begin("random-cuts:seed=" + std::to_string(seed));
    std::minstd_rand random(seed);
    Numbers now = permutation(5);
    std::vector<std::vector<float>> bytes;
    bytes.reserve(40);
    for (int step = 0; step < 40; ++step) {
      const Numbers next = random() % 3 == 0 ? meeting() : permutation(1 + 2 * (random() % 8));
      switch (random() % 4) {
      case 0:
        c().capture(c().write(index_, bytes.emplace_back(as_bytes(next))));
        now = next;
        break;
      case 1:
        write_natively(next);
        now = next;
        break;
      case 2:
        c().runtime().windows().flush();
        break;
      default:
        break;
      }
      c().capture(scatter());
      expect_of(now);
    }
    EXPECT_EQ(c().values(out_), expected_);
    EXPECT_EQ(c().runtime().executor().failed(), CL_SUCCESS);
  }
}

}  // namespace
}  // namespace mkmd
