// SPDX-License-Identifier: Apache-2.0
// Launches whose pieces update the same numbers in several memories, on devices of the fake driver.
#include "libinterpose/memory/storage.hpp"
#include "tests/libinterpose/capture/virtual_context_test.hpp"

#include <bit>

namespace mkmd {
namespace {

using Kind = compiler::Update::Kind;
using Numbers = std::vector<int32_t>;

constexpr size_t kNumbers = 64;

std::vector<float> as_floats(const Numbers& numbers) {
  std::vector<float> floats;
  for (const int32_t number : numbers)
    floats.push_back(std::bit_cast<float>(number));
  return floats;
}

Numbers as_numbers(const std::vector<float>& floats) {
  Numbers numbers;
  for (const float f : floats)
    numbers.push_back(std::bit_cast<int32_t>(f));
  return numbers;
}

std::vector<float> inputs() {
  std::vector<float> values(kItems);
  for (size_t i = 0; i < kItems; ++i)
    values[i] = static_cast<float>(i * 7 % 1000);
  return values;
}

// What a launch does, on the host.
void update(Kind kind, const std::vector<float>& in, Numbers& numbers) {
  for (const float f : in) {
    const auto value = static_cast<int32_t>(f);
    const size_t place = static_cast<size_t>(value) % numbers.size();
    int32_t& number = numbers[place];
    if (kind == Kind::store) {
      if (place % 3 == 0) number = VirtualContext::kMark;
    } else {
      number = kind == Kind::add ? number + value : std::min(number, value);
    }
  }
}

class UpdatesTest : public VirtualContextTest {
protected:
  // Several launches, with others between them that read and write the same numbers and inputs.
  void expect_results() {
    Numbers sums(kNumbers, 5), least(kNumbers, 400), marks(kNumbers, 9);
    std::vector<float> in = inputs();
    const auto a = c().buffer(in), b = c().buffer(as_floats(sums)), x = c().buffer(as_floats(least));
    const auto y = c().buffer(as_floats(sums)), z = c().buffer(as_floats(marks));
    for (int round = 0; round < 3; ++round) {
      c().capture(c().update(Kind::add, a, b));
      c().capture(c().update(Kind::smin, a, x));
      c().capture(c().update(Kind::store, a, z));
      c().capture(c().update(Kind::add, a, b));
      c().capture(c().copy(b, y));
      c().runtime().finish_all();    // before what they read is overwritten
      c().capture(c().twice(a, a));  // in place, so that its bytes lie where its pieces run
      for (float& value : in)
        value = value * 2 + 1;
    }
    std::vector<float> again = inputs();
    for (int round = 0; round < 3; ++round) {
      update(Kind::add, again, sums);
      update(Kind::smin, again, least);
      update(Kind::store, again, marks);
      update(Kind::add, again, sums);
      for (float& value : again)
        value = value * 2 + 1;
    }
    cl_int status = CL_SUCCESS;
    EXPECT_EQ(as_numbers(c().values(b, &status)), sums);
    EXPECT_EQ(status, CL_SUCCESS);
    EXPECT_EQ(as_numbers(c().values(x)), least);
    EXPECT_EQ(as_numbers(c().values(z)), marks);
    EXPECT_EQ(as_numbers(c().values(y)), sums);
    EXPECT_EQ(c().values(a), in);
    EXPECT_EQ(c().runtime().executor().failed(), CL_SUCCESS);
  }
};

// Pieces count what they then change in place. A number that is counted after its change, or twice, is seen.
class InPlace : public UpdatesTest {
protected:
  // False: the context was lost, as no piece that has changed its inputs can be repeated.
  bool expect_results() {
    Numbers sums(kNumbers, 5);
    std::vector<float> values = inputs();
    const auto a = c().buffer(values), b = c().buffer(as_floats(sums));
    for (int round = 0; round < 3; ++round) {
      c().capture(c().update(Kind::add, a, b, true));
      if (round == 1) c().capture(c().twice(a, a));
    }
    for (int round = 0; round < 3; ++round) {
      update(Kind::add, values, sums);
      for (float& value : values)
        value = round == 1 ? value * 4 + 3 : value * 2 + 1;
    }
    cl_int status = CL_SUCCESS;
    const Numbers got = as_numbers(c().values(b, &status));
    if (status != CL_SUCCESS) return false;
    EXPECT_EQ(got, sums);
    EXPECT_EQ(c().values(a), values);
    return true;
  }
};

TEST_F(InPlace, AnyCuts) {
  for (int seed = 1; seed < 9; ++seed) {
    make({.devices = 3, .separate = true, .policy = "random-cuts:seed=" + std::to_string(seed)});
    EXPECT_TRUE(expect_results());
    EXPECT_GT(device(1).kernels_run + device(2).kernels_run, 0);
  }
}

TEST_F(InPlace, RefusesSomeCalls) {
  for (const int calls : {1, 3}) {
    for (int call = 0; call < 60; ++call) {
      make({.devices = 3, .separate = true});
      device(1).calls_pass = call;
      device(1).calls_fail = calls;
      SCOPED_TRACE(call);
      EXPECT_TRUE(expect_results());
    }
  }
}

TEST_F(InPlace, FailsAtKernelsThatMayHaveBegun) {
  for (const bool badly : {false, true}) {
    for (int kernels = 1; kernels < 6; ++kernels) {
      make({.separate = true});
      device(1).kernels_fail = kernels;
      device(1).fails_badly = badly;
      expect_results();  // or an error, but no other result
    }
  }
}

TEST_F(UpdatesTest, ACopyIsMergedIntoHomesBytes) {
  make({.separate = true});
  Numbers sums(kNumbers, 5);
  const auto a = c().buffer(inputs()), b = c().buffer(as_floats(sums));
  c().capture(c().update(Kind::add, a, b));
  c().runtime().finish_all();
  EXPECT_GT(device(0).kernels_run, 0);
  EXPECT_GT(device(1).kernels_run, 0);
  EXPECT_TRUE(b->storage->regions.all_valid(0));
  EXPECT_FALSE(b->storage->regions.any_valid(1));
  update(Kind::add, inputs(), sums);
  EXPECT_EQ(as_numbers(c().values(b)), sums);
}

TEST_F(UpdatesTest, ThreeMemories) {
  make({.devices = 3, .separate = true});
  expect_results();
  EXPECT_GT(device(2).kernels_run, 0);
}

TEST_F(UpdatesTest, AnyCuts) {
  for (int seed = 1; seed < 9; ++seed) {
    make({.devices = 3, .separate = true, .policy = "random-cuts:seed=" + std::to_string(seed)});
    expect_results();
  }
}

TEST_F(UpdatesTest, OneAfterTheOther) {
  make({.separate = true, .policy = "single:fake1"});
  expect_results();
}

TEST_F(UpdatesTest, DriversThatWorkInHomesBytesDoNot) {
  make({.separate = true, .host_bytes = true});
  Numbers sums(kNumbers, 5);
  const auto a = c().buffer(inputs()), b = c().buffer(as_floats(sums));
  c().capture(c().update(Kind::add, a, b));
  c().runtime().finish_all();
  EXPECT_EQ(device(0).kernels_run + device(1).kernels_run, 1);
  update(Kind::add, inputs(), sums);
  EXPECT_EQ(as_numbers(c().values(b)), sums);
}

// What a helper fails at is discarded, and home does it again.
class FailingUpdates : public UpdatesTest {
protected:
  void SetUp() override { make({.separate = true}); }
};

TEST_F(FailingUpdates, RefusesOneCall) {
  for (int call = 0; call < 40; ++call) {
    make({.separate = true});
    device(1).calls_pass = call;
    device(1).calls_fail = 1;
    SCOPED_TRACE(call);
    expect_results();
  }
}

TEST_F(FailingUpdates, RefusesSomeCalls) {
  for (int call = 0; call < 40; ++call) {
    make({.devices = 3, .separate = true});
    device(1).calls_pass = call;
    device(1).calls_fail = 3;
    SCOPED_TRACE(call);
    expect_results();
  }
}

TEST_F(FailingUpdates, FailsAtKernels) {
  device(1).kernels_fail = 2;
  expect_results();
}

TEST_F(FailingUpdates, FailsAtKernelsThatHaveChangedTheCopy) {
  device(1).kernels_fail = 4;
  device(1).fails_badly = true;
  expect_results();
}

TEST_F(FailingUpdates, FailsAtEveryKernel) {
  device(1).kernels_fail = 1000;
  device(1).fails_badly = true;
  expect_results();
  EXPECT_TRUE(c().session().trouble.left_out(1));
}

TEST_F(FailingUpdates, FailsAtFlushes) {
  device(1).flushes_fail = 3;
  expect_results();
}

TEST_F(FailingUpdates, NeverCallsBack) {
  device(1).says_nothing = true;
  expect_results();
}

TEST_F(FailingUpdates, HasNoRoomForTheCopy) {
  Numbers sums(kNumbers, 5);
  const auto a = c().buffer(inputs()), b = c().buffer(as_floats(sums));
  c().driver().allocations_fail = 1000;  // all: the first test of a process has other ones before the copy
  c().capture(c().update(Kind::add, a, b));
  c().runtime().finish_all();
  update(Kind::add, inputs(), sums);
  EXPECT_EQ(as_numbers(c().values(b)), sums);
  EXPECT_EQ(device(1).kernels_run, 0);
}

}  // namespace
}  // namespace mkmd
