// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/runtime/experience.hpp"

#include <gtest/gtest.h>

namespace mkmd {
namespace {

constexpr double kAtHome = 1e-3;  // seconds

TEST(Experience, FewBadWindowsSayNothing) {
  Experience experience;
  for (int i = 0; i < 3; ++i)
    experience.note(2 * kAtHome, kAtHome, 0, 0);
  EXPECT_FALSE(experience.discourages(0));
  experience.note(2 * kAtHome, kAtHome, 0, 0);
  EXPECT_TRUE(experience.discourages(0));
}

TEST(Experience, OneGoodWindowAmongTheLastIsEnough) {
  Experience experience;
  for (const double taken : {2.0, 2.0, 1.05, 3.0, 2.0, 2.0})
    experience.note(taken * kAtHome, kAtHome, 0, 0);
  EXPECT_FALSE(experience.discourages(0)) << "a busy machine makes windows long, nothing makes them short";
  experience.note(2 * kAtHome, kAtHome, 0, 0);
  EXPECT_TRUE(experience.discourages(0)) << "the good one is too long ago";
}

TEST(Experience, AnotherTryComesEverLater) {
  Experience experience;
  for (int i = 0; i < 4; ++i)
    experience.note(2 * kAtHome, kAtHome, 0, 0);
  double now = 0;
  double lost = 0;
  int tries = 0;
  double waited = 0;
  for (; now < 60; now += 1e-3) {
    if (experience.discourages(now)) {
      waited += 1e-3;
      continue;
    }
    experience.note(2 * kAtHome, kAtHome, 0, now);
    lost += kAtHome;
    ++tries;
  }
  EXPECT_GE(tries, 4);
  EXPECT_LE(lost, 0.02 * waited);
}

TEST(Experience, AGoodTryEndsIt) {
  Experience experience;
  for (int i = 0; i < 4; ++i)
    experience.note(2 * kAtHome, kAtHome, 0, 0);
  ASSERT_TRUE(experience.discourages(0.01));
  ASSERT_FALSE(experience.discourages(1));
  experience.note(kAtHome, kAtHome, 0, 1);
  EXPECT_FALSE(experience.discourages(1));
}

TEST(Experience, WhatWasMeasuredAtHomeNeedsLessDoubt) {
  Experience estimated;
  Experience measured;
  for (int i = 0; i < 4; ++i) {
    estimated.note(1.07 * kAtHome, kAtHome, 0.5 * kAtHome, 0);
    measured.note(1.07 * kAtHome, kAtHome, kAtHome, 0);
  }
  EXPECT_FALSE(estimated.discourages(0));
  EXPECT_TRUE(measured.discourages(0));
}

TEST(Experience, OneTryAtATime) {
  Experience experience;
  for (int i = 0; i < 4; ++i)
    experience.note(2 * kAtHome, kAtHome, 0, 0);
  ASSERT_FALSE(experience.discourages(1));
  experience.begin_try(kAtHome, 1);
  EXPECT_TRUE(experience.discourages(1)) << "more of them are planned before it is known what comes of it";
  experience.note(kAtHome, kAtHome, 0, 1.001);
  EXPECT_FALSE(experience.discourages(1.001));
}

TEST(Experience, ATryIsNothingToWhatHasNotLost) {
  Experience experience;
  experience.begin_try(kAtHome, 0);
  EXPECT_FALSE(experience.discourages(0));
}

TEST(Experience, TimesThatMakeNoSenseAreLeftOut) {
  Experience experience;
  for (int i = 0; i < 8; ++i) {
    experience.note(2 * kAtHome, 0, 0, 0);
    experience.note(-1, kAtHome, 0, 0);
  }
  EXPECT_FALSE(experience.discourages(0));
}

}  // namespace
}  // namespace mkmd
