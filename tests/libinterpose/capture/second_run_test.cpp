// SPDX-License-Identifier: Apache-2.0
// A program's second run, on devices of the fake driver: it begins where the first has ended.
#include "tests/libinterpose/capture/virtual_context.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

namespace mkmd {
namespace {

namespace fs = std::filesystem;

class SecondRun : public testing::Test {
protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "second-run-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    machine_.cache = name;
  }
  void TearDown() override {
    run_.reset();
    fs::remove_all(machine_.cache);
  }

  // What each device ran of so many launches, each waited for.
  std::vector<int> run(int launches) {
    run_.reset();  // there is one driver at a time
    run_ = std::make_unique<VirtualContext>(machine_);
    run_->driver()[0].per_item = 400;  // the second device is the quicker one
    run_->recall();
    const std::vector<float> ones(kItems, 1.0F);
    const auto in = run_->buffer(ones), out = run_->buffer(ones);
    for (int i = 0; i < launches; ++i) {
      const Ref<Command> command = run_->capture(run_->twice(in, out));
      run_->runtime().wait(*command);
      for (size_t d = 0; d < 2; ++d)
        ran_.push_back(run_->driver()[d].kernels_run);
    }
    EXPECT_EQ(run_->values(out), std::vector<float>(kItems, 3.0F));
    run_->keep_learned();
    return std::exchange(ran_, {});
  }

  VirtualContext::Machine machine_{.separate = true, .rivals = true};
  std::unique_ptr<VirtualContext> run_;
  std::vector<int> ran_;  // kernels so far, by launch and device
};

TEST_F(SecondRun, GoesToTheQuickerRivalOnceHomeHasRunTheKernel) {
  const std::vector<int> first = run(12);
  EXPECT_GE(first[1] + first[3] + first[5], 1) << "the rival is sampled";
  EXPECT_GT(first.back(), 6) << "and takes over";
  const std::vector<int> second = run(12);
  EXPECT_GE(second[0], 1) << "home runs each kernel first";
  EXPECT_EQ(second[1], 0) << "and the rival is not sampled again";
  EXPECT_EQ(second[second.size() - 2], second[2]) << "home runs nothing any more once the data has moved";
  EXPECT_GE(second.back(), first.back());
}

TEST_F(SecondRun, WhatTheProgramRanAtHomeItselfCountsAsRun) {
  run(12);
  run_.reset();
  run_ = std::make_unique<VirtualContext>(machine_);
  run_->driver()[0].per_item = 400;
  run_->recall();
  const std::vector<float> ones(kItems, 1.0F);
  const auto in = run_->buffer(ones), out = run_->buffer(ones);
  const Ref<Command> command = run_->twice(in, out);
  ASSERT_EQ(run_->native_twice(in, out), CL_SUCCESS);
  run_->runtime().code().ran_without(*command->kernel()->launch.kernel, run_->queue());
  for (int i = 0; i < 6; ++i)
    run_->runtime().wait(*run_->capture(run_->twice(in, out)));
  EXPECT_EQ(run_->driver()[0].kernels_run, 1) << "the program's own launch";
  EXPECT_EQ(run_->values(out), std::vector<float>(kItems, 3.0F));
}

}  // namespace
}  // namespace mkmd
