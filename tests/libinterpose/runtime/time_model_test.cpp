// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/runtime/time_model.hpp"

#include <gtest/gtest.h>

namespace mkmd {
namespace {

DeviceRates rates(const std::string& kind, double operations, double bytes) {
  DeviceRates r;
  r.kind = kind;
  r.operations_per_second = operations;
  r.bytes_per_second = bytes;
  r.launch_seconds = 0;
  return r;
}

// Two alike, one ten times slower.
TimeModel three_devices() {
  return TimeModel({rates("a", 1e9, 1e9), rates("a", 1e9, 1e9), rates("b", 1e8, 1e8)});
}

TEST(TimeModel, BeginsWithTheRoofline) {
  TimeModel model = three_devices();
  KernelModel& kernel = model.of_kernel("k");
  EXPECT_DOUBLE_EQ(model.seconds(kernel, {2e6, 1e6, 1}, 0), 2e-3);
  EXPECT_DOUBLE_EQ(model.seconds(kernel, {1e6, 4e6, 1}, 0), 4e-3);
  EXPECT_DOUBLE_EQ(model.seconds(kernel, {2e6, 1e6, 1}, 2), 2e-2);
}

TEST(TimeModel, OneMeasuredPieceCorrectsTheWholeLaunch) {
  TimeModel model = three_devices();
  KernelModel& kernel = model.of_kernel("k");
  const LaunchCost cost{2e6, 1e6, 1};
  model.learn(kernel, cost, 0, 0.25, 1.5e-3);  // a quarter took 1.5 ms
  EXPECT_NEAR(model.seconds(kernel, cost, 0), 6e-3, 1e-12);
  EXPECT_NEAR(model.seconds(kernel, cost, 1), 6e-3, 1e-12) << "a device of the same kind";
  EXPECT_NEAR(model.seconds(kernel, cost, 2), 6e-2, 1e-12) << "the estimate was wrong by the same factor";
}

TEST(TimeModel, AnotherShapeUsesTheKernelsCorrectionUntilItHasItsOwn) {
  TimeModel model = three_devices();
  KernelModel& kernel = model.of_kernel("k");
  model.learn(kernel, {2e6, 0, 1}, 0, 1.0, 4e-3);
  EXPECT_NEAR(model.seconds(kernel, {8e6, 0, 2}, 0), 16e-3, 1e-12);
  model.learn(kernel, {8e6, 0, 2}, 0, 1.0, 8e-3);
  EXPECT_NEAR(model.seconds(kernel, {8e6, 0, 2}, 0), 8e-3, 1e-12);
  EXPECT_NEAR(model.seconds(kernel, {2e6, 0, 1}, 0), 4e-3, 1e-12);
}

TEST(TimeModel, AnOutlierMovesThePredictionLittle) {
  TimeModel model = three_devices();
  KernelModel& kernel = model.of_kernel("k");
  const LaunchCost cost{1e6, 0, 1};
  for (int i = 0; i < 20; ++i)
    model.learn(kernel, cost, 0, 1.0, 1e-3);
  model.learn(kernel, cost, 0, 1.0, 1.0);  // the machine was busy elsewhere
  EXPECT_LT(model.seconds(kernel, cost, 0), 1.25e-3);
}

TEST(TimeModel, FollowsALastingChange) {
  TimeModel model = three_devices();
  KernelModel& kernel = model.of_kernel("k");
  const LaunchCost cost{1e6, 0, 1};
  for (int i = 0; i < 20; ++i)
    model.learn(kernel, cost, 0, 1.0, 1e-3);
  for (int i = 0; i < 20; ++i)
    model.learn(kernel, cost, 0, 1.0, 3e-3);
  EXPECT_NEAR(model.seconds(kernel, cost, 0), 3e-3, 1e-4);
}

TEST(TimeModel, NonsenseIsNotLearned) {
  TimeModel model = three_devices();
  KernelModel& kernel = model.of_kernel("k");
  const LaunchCost cost{1e6, 0, 1};
  model.learn(kernel, cost, 0, 0.0, 1.0);
  model.learn(kernel, cost, 0, 0.5, 0.0);
  EXPECT_DOUBLE_EQ(model.seconds(kernel, cost, 0), 1e-3);
}

}  // namespace
}  // namespace mkmd
