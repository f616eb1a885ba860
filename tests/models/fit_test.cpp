// SPDX-License-Identifier: Apache-2.0
#include "models/fit.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace mkmd::models {
namespace {

Work work(double items, double trips, uint64_t local = 64) {
  Work w;
  w.local = {local, 1, 1};
  w.items = items;
  w.operations = items * (2 * trips + 5);
  w.bytes = items * 8 * trips;
  w.footprint = items * 8;
  return w;
}

// `count` random inputs whose times are what `time` says, times a noise of `noise` (relative, normal).
template <typename Time>
std::vector<Sample> measured(int count, double noise, Time time, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(1.0, noise);
  std::vector<Sample> samples;
  for (int i = 0; i < count; ++i) {
    Sample s;
    const uint64_t local = 16u << random() % 3;
    s.work =
        work(static_cast<double>(1000 + random() % 100000), static_cast<double>(10 + random() % 1000), local);
    s.input = static_cast<uint64_t>(i);
    s.seconds = time(s.work) * std::max(0.1, normal(random));
    samples.push_back(s);
  }
  return samples;
}

double eq3(const Work& w) {
  return 2e-10 * w.operations + 3e-9 * w.items + 1e-6;
}

TEST(Fit, FindsTheCoefficientsOfEquation3) {
  const auto model = fit(measured(40, 0.0, eq3));
  ASSERT_TRUE(model);
  EXPECT_EQ(model->form, Model::Form::linear);
  ASSERT_EQ(model->classes.size(), 1u) << "local sizes do not matter, so the simpler form wins";
  EXPECT_NEAR(model->classes[0].coefficients[2], 2e-10, 2e-12);
  EXPECT_NEAR(model->classes[0].coefficients[1], 3e-9, 3e-10);
  EXPECT_LT(model->held_out_mape, 0.005);
  EXPECT_GT(model->r2, 0.999);
}

TEST(Fit, TwentyNoisySamplesPredictWithinFivePercentAndFortyBetter) {
  const auto twenty = fit(measured(20, 0.03, eq3));
  const auto many = fit(measured(200, 0.03, eq3));
  ASSERT_TRUE(twenty && many);
  EXPECT_LT(twenty->held_out_mape, 0.05);
  EXPECT_LT(many->held_out_mape, 0.035);
  // What nobody has measured yet, without noise.
  double error = 0;
  for (const Sample& s : measured(50, 0.0, eq3, 99))
    error += std::abs(twenty->evaluate(s.work) / s.seconds - 1) / 50;
  EXPECT_LT(error, 0.05);
}

TEST(Fit, TheIntervalHoldsNineOfTen) {
  const auto model = fit(measured(200, 0.05, eq3));
  ASSERT_TRUE(model);
  int inside = 0;
  const auto others = measured(200, 0.05, eq3, 7);
  for (const Sample& s : others) {
    const auto p = model->predict(s.work);
    inside += p && s.seconds >= p->lo && s.seconds <= p->hi;
  }
  EXPECT_GT(inside, 160);
}

TEST(Fit, LocalSizesAreKeptApartWhereTheyMatter) {
  const auto by_class = [](const Work& w) {
    return eq3(w) * (w.local[0] == 16 ? 5.0 : w.local[0] == 32 ? 2.0 : 1.0);
  };
  const auto model = fit(measured(40, 0.01, by_class));
  ASSERT_TRUE(model);
  EXPECT_EQ(model->classes.size(), 3u);
  EXPECT_LT(model->held_out_mape, 0.05);
  Work other = work(5000, 100, 128);
  EXPECT_FALSE(model->predict(other)) << "a local size nobody measured";
}

TEST(Fit, CachesAreSeen) {
  const auto cached = [](const Work& w) {
    return 1e-10 * w.bytes * (w.footprint > 256e3 ? 1 + 5 * (1 - 256e3 / w.footprint) : 1);
  };
  const auto model = fit(measured(80, 0.01, cached));
  ASSERT_TRUE(model);
  EXPECT_LT(model->held_out_mape, 0.05);
}

TEST(Fit, PowersAreFound) {
  const auto cube = [](const Work& w) { return 1e-14 * std::pow(w.operations, 1.5) + 1e-5; };
  const auto model = fit(measured(60, 0.01, cube));
  ASSERT_TRUE(model);
  EXPECT_EQ(model->form, Model::Form::power);
  EXPECT_LT(model->held_out_mape, 0.05);
}

TEST(Fit, OutliersDoNotBendTheFormula) {
  auto samples = measured(60, 0.01, eq3);
  for (size_t i = 0; i < samples.size(); i += 8)
    samples[i].seconds *= i % 16 == 0 ? 50 : 0.02;  // a machine busy elsewhere, and a clock that jumped
  const auto model = fit(samples);
  ASSERT_TRUE(model);
  SCOPED_TRACE(model->formula());
  for (const Sample& s : measured(50, 0.0, eq3, 5))
    EXPECT_NEAR(model->evaluate(s.work) / s.seconds, 1, 0.08);
}

TEST(Fit, NonsenseIsLeftOut) {
  const double bad[] = {NAN, INFINITY, -INFINITY, 0.0, -1.0, 1e300};
  auto samples = measured(30, 0.01, eq3);
  const auto clean = fit(samples);
  for (const double x : bad) {
    Sample s = samples.front();
    s.seconds = x;
    samples.push_back(s);
    s = samples.front();
    s.work.operations = x;
    if (!(x >= 0 && std::isfinite(x) && x < 1e24)) samples.push_back(s);
    s = samples.front();
    s.work.items = x;
    samples.push_back(s);
  }
  const auto model = fit(samples);
  ASSERT_TRUE(model && clean);
  EXPECT_EQ(model->samples, clean->samples);
  EXPECT_DOUBLE_EQ(model->evaluate(samples[3].work), clean->evaluate(samples[3].work));
  EXPECT_FALSE(fit({}));
  EXPECT_FALSE(fit({samples.back()}));
}

TEST(Fit, OneSampleIsAModelOfItself) {
  const auto samples = measured(1, 0.0, eq3);
  const auto model = fit(samples);
  ASSERT_TRUE(model);
  EXPECT_NEAR(model->evaluate(samples[0].work), samples[0].seconds, 1e-12);
  EXPECT_EQ(model->held_out_mape, 1) << "no claim of accuracy";
  EXPECT_FALSE(model->predict(work(1e9, 10)));
}

TEST(Fit, ConstantTimesAndEqualInputs) {
  std::vector<Sample> samples = measured(12, 0.0, [](const Work&) { return 1e-3; });
  const auto constant = fit(samples);
  ASSERT_TRUE(constant);
  EXPECT_NEAR(constant->evaluate(samples[5].work), 1e-3, 1e-6);
  for (Sample& s : samples)
    s = samples.front();
  const auto equal = fit(samples);
  ASSERT_TRUE(equal);
  EXPECT_NEAR(equal->evaluate(samples[0].work), 1e-3, 1e-6);
  EXPECT_TRUE(std::isfinite(equal->r2));
}

TEST(Fit, CollinearTermsStillPredict) {
  // Operations, bytes and items all proportional: any division between them is as good as another.
  std::vector<Sample> samples;
  for (int i = 1; i <= 30; ++i) {
    Sample s;
    s.work = work(1000.0 * i, 10);
    s.input = static_cast<uint64_t>(i);
    s.seconds = 1e-9 * s.work.items;
    samples.push_back(s);
  }
  const auto model = fit(samples);
  ASSERT_TRUE(model);
  for (const Sample& s : samples)
    EXPECT_NEAR(model->evaluate(s.work) / s.seconds, 1, 0.01);
}

TEST(Fit, CoefficientsAreNeverNegative) {
  const auto falling = [](const Work& w) { return 1e-3 / w.items; };  // no time behaves so
  const auto model = fit(measured(40, 0.2, falling));
  ASSERT_TRUE(model);
  for (const Model::Class& c : model->classes) {
    for (const double coefficient : c.coefficients)
      EXPECT_GE(coefficient, 0);
  }
}

TEST(Fit, CoRunningSamplesCountOnlyIfThereAreNoOthers) {
  auto samples = measured(30, 0.0, eq3);
  for (Sample s : measured(
           30, 0.0, [](const Work& w) { return 4 * eq3(w); }, 3)) {
    s.alone = false;
    samples.push_back(s);
  }
  const auto model = fit(samples);
  ASSERT_TRUE(model);
  EXPECT_NEAR(model->evaluate(samples[0].work) / samples[0].seconds, 1, 0.02);
  ASSERT_TRUE(model->together);
  EXPECT_NEAR(*model->together, 4, 0.1) << "what they lose to each other is known apart";
  for (Sample& s : samples)
    s.alone = false;
  EXPECT_TRUE(fit(samples));
}

TEST(Fit, CrowdedCacheSetsCostAlikeAtEveryLocalSize) {
  // Rows of columns: slow where more than four lines share a set, whatever local size and row length do that.
  std::vector<Sample> samples;
  for (int i = 0; i < 36; ++i) {
    Sample s;
    s.work = work(40000.0 + 9000.0 * i, 3);
    const uint64_t side = uint64_t{8} << (i % 3);
    s.work.local = {side, 64 / side, 1};
    s.work.bytes = 8 * s.work.items;
    s.work.crowding = i % 4 == 0 ? static_cast<double>(side) / 2 : 1;
    s.input = static_cast<uint64_t>(i);
    s.seconds = 1e-6 + 5e-10 * s.work.items + 5e-11 * s.work.bytes * std::max(0.0, s.work.crowding - 4);
    samples.push_back(s);
  }
  const auto model = fit(samples);
  ASSERT_TRUE(model);
  EXPECT_LT(model->held_out_mape, 0.02);
}

TEST(Fit, WhatOneWorkGroupComesBackToCostsAsItFits) {
  // A matrix product. The time depends on how much of the second matrix one work-group walks over, not on
  // how much of everything a piece touches. It also depends on rows that share cache sets.
  std::vector<Sample> samples;
  for (int i = 0; i < 60; ++i) {
    Sample s;
    const double side = 128 + 64.0 * (i % 6);
    s.work = work(side * 64 * (1 + i / 6), side);
    s.work.footprint = 8 * s.work.items + 4 * side * side;
    s.work.group_reach = 4 * side * side;
    s.work.group_crowding = i % 6 == 2 ? 64 : 4;
    s.work.lines = s.work.items * side;
    s.input = static_cast<uint64_t>(i % 6);
    s.seconds = 1e-11 * s.work.lines + 6e-11 * s.work.operations +
                4e-11 * s.work.bytes * std::max(0.0, 1 - 128e3 / s.work.group_reach) +
                (s.work.group_crowding > 16 ? 3e-11 * s.work.bytes : 0);
    samples.push_back(s);
  }
  const auto model = fit(samples);
  ASSERT_TRUE(model);
  for (const Sample& s : samples)
    EXPECT_NEAR(model->evaluate(s.work) / s.seconds, 1, 0.02);
}

TEST(Fit, WorkGroupsOfOtherShapesLoadOtherLines) {
  // A transposition: eight lines of each matrix for eight by eight work-items, 32 of one for 32 by 2.
  std::vector<Sample> samples;
  for (int i = 0; i < 24; ++i) {
    Sample s;
    const uint64_t side = uint64_t{8} << (i % 3);
    s.work = work(40000.0 + 9000.0 * i, 1);
    s.work.local = {side, 64 / side, 1};
    s.work.lines = s.work.items * static_cast<double>(side + 64 / side);
    s.input = static_cast<uint64_t>(i);
    // Outside of caches it costs the same for every shape: no factor for each shape says that.
    s.seconds = 2e-11 * s.work.lines + 1e-10 * s.work.bytes * std::max(0.0, 1 - 1e6 / s.work.footprint);
    samples.push_back(s);
  }
  const auto model = fit(samples);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->classes.size(), 1U) << "one formula says it for all local sizes";
  EXPECT_LT(model->held_out_mape, 0.02);
}

TEST(Fit, TransfersThatAreNoLine) {
  std::vector<Sample> samples;
  for (int i = 0; i < 26; ++i) {
    Sample s;
    const double bytes = 4096 * std::pow(2, i / 2.0);
    s.work.items = s.work.operations = s.work.bytes = s.work.footprint = bytes;
    s.input = static_cast<uint64_t>(bytes);
    s.seconds = 20e-6 + 3e-9 * std::pow(bytes, 0.8);
    samples.push_back(s);
  }
  const auto model = fit(samples);
  ASSERT_TRUE(model);
  EXPECT_LT(model->held_out_mape, 0.02);
  EXPECT_NEAR(model->evaluate(samples[13].work) / samples[13].seconds, 1, 0.02);
}

TEST(Fit, OutsideTheRangeThereIsNoPrediction) {
  const auto model = fit(measured(40, 0.0, eq3));
  ASSERT_TRUE(model);
  EXPECT_TRUE(model->predict(work(50000, 500)));
  EXPECT_FALSE(model->predict(work(1e9, 500)));
  EXPECT_FALSE(model->predict(work(50000, 1e6)));
}

}  // namespace
}  // namespace mkmd::models
