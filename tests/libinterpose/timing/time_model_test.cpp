// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/timing/time_model.hpp"

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
  KernelModel& kernel = *model.of_kernel("k");
  EXPECT_DOUBLE_EQ(model.seconds(kernel, {2e6, 1e6, 1}, 0), 2e-3);
  EXPECT_DOUBLE_EQ(model.seconds(kernel, {1e6, 4e6, 1}, 0), 4e-3);
  EXPECT_DOUBLE_EQ(model.seconds(kernel, {2e6, 1e6, 1}, 2), 2e-2);
}

TEST(TimeModel, OneMeasuredPieceCorrectsTheWholeLaunch) {
  TimeModel model = three_devices();
  KernelModel& kernel = *model.of_kernel("k");
  const LaunchCost cost{2e6, 1e6, 1};
  model.learn(kernel, cost, 0, 0.25, 1.5e-3);  // a quarter took 1.5 ms
  EXPECT_NEAR(model.seconds(kernel, cost, 0), 6e-3, 1e-12);
  EXPECT_NEAR(model.seconds(kernel, cost, 1), 6e-3, 1e-12) << "a device of the same kind";
  EXPECT_NEAR(model.seconds(kernel, cost, 2), 6e-2, 1e-12) << "the estimate was wrong by the same factor";
}

TEST(TimeModel, AnotherShapeUsesTheKernelsCorrectionUntilItHasItsOwn) {
  TimeModel model = three_devices();
  KernelModel& kernel = *model.of_kernel("k");
  model.learn(kernel, {2e6, 0, 1}, 0, 1.0, 4e-3);
  EXPECT_NEAR(model.seconds(kernel, {8e6, 0, 2}, 0), 16e-3, 1e-12);
  model.learn(kernel, {8e6, 0, 2}, 0, 1.0, 8e-3);
  EXPECT_NEAR(model.seconds(kernel, {8e6, 0, 2}, 0), 8e-3, 1e-12);
  EXPECT_NEAR(model.seconds(kernel, {2e6, 0, 1}, 0), 4e-3, 1e-12);
}

TEST(TimeModel, WhatWasMeasuredIsOfThatDeviceAndShape) {
  TimeModel model = three_devices();
  KernelModel& kernel = *model.of_kernel("k");
  const LaunchCost cost{2e6, 1e6, 1};
  model.learn(kernel, cost, 0, 0.25, 1.5e-3);
  ASSERT_TRUE(model.measured(kernel, cost, 0));
  EXPECT_NEAR(*model.measured(kernel, cost, 0), 6e-3, 1e-12);
  EXPECT_FALSE(model.measured(kernel, cost, 1)) << "only a device of the same kind has run it";
  EXPECT_FALSE(model.measured(kernel, {2e6, 1e6, 2}, 0));
}

TEST(TimeModel, ProgramsOfOneSourceShareWhatIsKnown) {
  TimeModel model = three_devices();
  const uint64_t number = model.of_kernel("k", "source")->number;
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(model.of_kernel("k", "source")->number, number);
  EXPECT_EQ(model.kernels(), 1);
}

TEST(TimeModel, SourcesWithoutEndAreForgotten) {
  TimeModel model = three_devices();
  const auto held = model.of_kernel("held");
  const LaunchCost cost{2e6, 1e6, 1};
  model.learn(*held, cost, 0, 1, 8e-3);
  for (int i = 0; i < 1000; ++i) {
    const auto kernel = model.of_kernel("k", std::to_string(i));
    model.learn(*kernel, cost, 0, 1, 5e-3);
  }
  EXPECT_LE(model.kernels(), 2 * TimeModel::kKept + 2);
  EXPECT_EQ(model.of_kernel("held"), held);
  EXPECT_TRUE(model.measured(*model.of_kernel("k", "999"), cost, 0)) << "the last ones are kept";
  EXPECT_TRUE(model.measured(*model.of_kernel("k", "800"), cost, 0));
  EXPECT_FALSE(model.measured(*model.of_kernel("k", "0"), cost, 0));
}

TEST(TimeModel, WhatIsHeldIsKeptHoweverMuchThereIs) {
  TimeModel model = three_devices();
  std::vector<std::shared_ptr<KernelModel>> held;
  for (int i = 0; i < 1000; ++i)
    held.push_back(model.of_kernel("k", std::to_string(i)));
  EXPECT_EQ(model.kernels(), 1000);
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(model.of_kernel("k", std::to_string(i)), held[i]);
}

TEST(TimeModel, AnOutlierMovesThePredictionLittle) {
  TimeModel model = three_devices();
  KernelModel& kernel = *model.of_kernel("k");
  const LaunchCost cost{1e6, 0, 1};
  for (int i = 0; i < 20; ++i)
    model.learn(kernel, cost, 0, 1.0, 1e-3);
  model.learn(kernel, cost, 0, 1.0, 1.0);  // the machine was busy elsewhere
  EXPECT_LT(model.seconds(kernel, cost, 0), 1.25e-3);
}

TEST(TimeModel, FollowsALastingChange) {
  TimeModel model = three_devices();
  KernelModel& kernel = *model.of_kernel("k");
  const LaunchCost cost{1e6, 0, 1};
  for (int i = 0; i < 20; ++i)
    model.learn(kernel, cost, 0, 1.0, 1e-3);
  for (int i = 0; i < 20; ++i)
    model.learn(kernel, cost, 0, 1.0, 3e-3);
  EXPECT_NEAR(model.seconds(kernel, cost, 0), 3e-3, 1e-4);
}

TEST(SecondsAlone, OfASaturatedMemoryAreThoseOfItsFullSpeed) {
  const scheduler::Memory memory{.mem = 0, .bw_one = 1e9, .bw_all = 1.2e9};
  EXPECT_DOUBLE_EQ(seconds_alone(2e-3, 1e6, 1, &memory), 2e-3) << "it was alone";
  EXPECT_DOUBLE_EQ(seconds_alone(5e-3, 1e6, 2, &memory), 5e-3) << "two such do not saturate it";
  EXPECT_DOUBLE_EQ(seconds_alone(1.7e-3, 1e6, 2, &memory), 1e-3);
  EXPECT_DOUBLE_EQ(seconds_alone(0.9e-3, 1e6, 2, &memory), 0.9e-3) << "never longer than together";
  EXPECT_DOUBLE_EQ(seconds_alone(2e-3, 0, 2, &memory), 2e-3) << "it may stay in caches";
  EXPECT_DOUBLE_EQ(seconds_alone(2e-3, 1e6, 2, nullptr), 2e-3);
}

TEST(TimeModel, NonsenseIsNotLearned) {
  TimeModel model = three_devices();
  KernelModel& kernel = *model.of_kernel("k");
  const LaunchCost cost{1e6, 0, 1};
  model.learn(kernel, cost, 0, 0.0, 1.0);
  model.learn(kernel, cost, 0, 0.5, 0.0);
  EXPECT_DOUBLE_EQ(model.seconds(kernel, cost, 0), 1e-3);
}

// --- with models of a profiling run ---

models::Entry profile(const std::string& device, double seconds_per_operation) {
  models::Entry e;
  e.key = {"k", "program", device};
  e.model.classes.push_back({{}, {0, 0, seconds_per_operation, 0, 0}});
  e.model.locals_seen = {{64, 1, 1}};
  const models::Interval any{0, 1e30};
  e.model.range = {any, any, any, any, any};
  return e;
}

LaunchCost launch(double operations, uint64_t shape = 1) {
  models::Work work;
  work.local = {64, 1, 1};
  work.items = operations / 10;
  work.operations = operations;
  return {operations, 0, shape, work};
}

// The roofline says 1 ns per operation for "a" and 10 ns for "b".
TimeModel profiled(double a, double b) {
  return TimeModel({rates("a", 1e9, 1e9), rates("b", 1e8, 1e8)}, {profile("a", a), profile("b", b)});
}

TEST(ProfiledTimes, AreBelievedWhereTheyAgreeOnWhichDeviceIsHowMuchFaster) {
  TimeModel model = profiled(4e-9, 60e-9);
  const KernelModel& kernel = *model.of_kernel("k", "program");
  EXPECT_NEAR(model.seconds(kernel, launch(1e6), 0), 4e-3, 1e-9);
  EXPECT_NEAR(model.seconds(kernel, launch(1e6), 1), 60e-3, 1e-9);
}

TEST(ProfiledTimes, AreForThisProgramAndThoseDevicesOnly) {
  TimeModel model = profiled(4e-9, 60e-9);
  EXPECT_NEAR(model.seconds(*model.of_kernel("k", "another program"), launch(1e6), 0), 1e-3, 1e-9);
  EXPECT_NEAR(model.seconds(*model.of_kernel("other", "program"), launch(1e6), 0), 1e-3, 1e-9);
}

TEST(ProfiledTimes, OutsideTheirRangeTheRooflineAnswers) {
  auto narrow = profile("a", 4e-9);
  narrow.model.range.operations = {1e5, 2e6};
  TimeModel model({rates("a", 1e9, 1e9)}, {narrow});
  const KernelModel& kernel = *model.of_kernel("k", "program");
  EXPECT_NEAR(model.seconds(kernel, launch(1e6), 0), 4e-3, 1e-9);
  EXPECT_NEAR(model.seconds(kernel, launch(1e8), 0), 0.1, 1e-9);
}

TEST(ProfiledTimes, NonsenseCannotHideADeviceNorFavourItMuch) {
  for (const double factor : {1e-12, 1e-6, 1e6, 1e12}) {
    TimeModel model = profiled(1e-9, 10e-9 * factor);
    const KernelModel& kernel = *model.of_kernel("k", "program");
    EXPECT_NEAR(model.seconds(kernel, launch(1e6), 0), 1e-3, 1e-9);
    const double b = model.seconds(kernel, launch(1e6), 1);
    EXPECT_GE(b, 10e-3 / 3.001) << factor;
    EXPECT_LE(b, 10e-3 * 3.001) << factor;
  }
}

TEST(ProfiledTimes, NonsenseForAllDevicesIsNotBelievedAtAll) {
  for (const double factor : {1e-12, 0.1, 100.0, 1e12}) {
    TimeModel model = profiled(1e-9 * factor, 1e-9 * factor);
    const KernelModel& kernel = *model.of_kernel("k", "program");
    EXPECT_NEAR(model.seconds(kernel, launch(1e6), 0), 1e-3, 1e-9) << factor;
    EXPECT_NEAR(model.seconds(kernel, launch(1e6), 1), 1e-2, 1e-9) << "the ratio is nonsense, too";
  }
}

TEST(ProfiledTimes, ShortOnesThatAreNotConfirmedCannotHideAKernel) {
  TimeModel model = profiled(0.3e-9, 3e-9);
  const KernelModel& kernel = *model.of_kernel("k", "program");
  EXPECT_NEAR(model.seconds(kernel, launch(1e6), 0), 0.3e-3, 1e-9);
  EXPECT_NEAR(model.seconds_at_most(kernel, launch(1e6), 0), 1e-3, 1e-9) << "so it is captured, and measured";
}

TEST(ProfiledTimes, WhatIsMeasuredCountsMoreThanAnyModel) {
  TimeModel model = profiled(1e3, 1e-12);
  KernelModel& kernel = *model.of_kernel("k", "program");
  model.learn(kernel, launch(1e6), 0, 0.5, 1e-3);
  model.learn(kernel, launch(1e6), 1, 0.5, 8e-3);
  EXPECT_NEAR(model.seconds(kernel, launch(1e6), 0), 2e-3, 1e-9);
  EXPECT_NEAR(model.seconds(kernel, launch(1e6), 1), 16e-3, 1e-9);
}

TEST(ProfiledTimes, AStaleModelIsGivenUpForOtherShapes) {
  TimeModel model = profiled(1e-6, 1e-5);  // a thousand times too slow
  KernelModel& kernel = *model.of_kernel("k", "program");
  for (int i = 0; i < 2; ++i)
    model.learn(kernel, launch(1e6), 0, 1.0, 1e-3);
  EXPECT_NEAR(model.seconds(kernel, launch(4e6, 2), 0), 4e-3, 1e-9);
}

TEST(ProfiledTimes, WhatDevicesLoseToEachOtherIsKnownUntilTheModelIsStale) {
  auto with = profile("a", 1e-9);
  with.model.together = 1.8;
  with.model.range.operations = {0, 5e6};
  TimeModel model({rates("a", 1e9, 1e9), rates("b", 1e8, 1e8)}, {with, profile("b", 1e-8)});
  KernelModel& kernel = *model.of_kernel("k", "program");
  EXPECT_EQ(model.together(kernel, launch(1e6), 0), 1.8);
  EXPECT_EQ(model.together(kernel, launch(1e7), 0), std::nullopt) << "larger than any that was measured";
  EXPECT_EQ(model.together(kernel, launch(1e6), 1), std::nullopt) << "profiled, but never beside others";
  EXPECT_EQ(model.together(*model.of_kernel("other", "program"), launch(1e6), 0), std::nullopt);
  for (int i = 0; i < 2; ++i)
    model.learn(kernel, launch(1e6), 0, 1.0, 1e-2);
  EXPECT_EQ(model.together(kernel, launch(1e6), 0), std::nullopt)
      << "ten times slower: a model of something else";
}

TEST(ProfiledTimes, AConfirmedModelIsFollowedWhereTheRooflineWasWrong) {
  // Twice as slow as measured here; the profile knows that the second device is as fast as the first.
  TimeModel model = profiled(2e-9, 2e-9);
  KernelModel& kernel = *model.of_kernel("k", "program");
  model.learn(kernel, launch(1e6), 0, 0.5, 1e-3);
  model.learn(kernel, launch(1e6), 1, 0.5, 1e-3);
  EXPECT_NEAR(model.seconds(kernel, launch(4e6, 2), 0), 8e-3, 1e-9);
  EXPECT_NEAR(model.seconds(kernel, launch(4e6, 2), 1), 8e-3, 1e-9);
}

}  // namespace
}  // namespace mkmd
