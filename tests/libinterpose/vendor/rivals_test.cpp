// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/vendor/rivals.hpp"
#include "tests/libinterpose/vendor/addresses.hpp"

#include <gmock/gmock.h>

namespace mkmd::vendor {
namespace {

using testing::Each;
using testing::ElementsAre;

TEST(Rivals, TwoDriversOnTheSameCores) {
  EXPECT_THAT(rival_teams({{&one, 2}, {&other, 2}}, 2), ElementsAre(1, 2));
}

TEST(Rivals, PartsOfOneDeviceAreATeam) {
  EXPECT_THAT(rival_teams({{&one, 1}, {&one, 1}, {&other, 2}}, 2), ElementsAre(1, 1, 2));
}

TEST(Rivals, NobodyHasAnyWhereThereAreCoresForAll) {
  EXPECT_THAT(rival_teams({{&one, 2}, {&other, 2}}, 4), Each(0));
}

TEST(Rivals, ADriverIsNotItsOwn) {
  EXPECT_THAT(rival_teams({{&one, 4}, {&one, 4}}, 2), Each(0));
}

TEST(Rivals, AGpuIsNone) {
  EXPECT_THAT(rival_teams({{nullptr, 100}, {&one, 2}, {&other, 2}}, 2), ElementsAre(0, 1, 2));
  EXPECT_THAT(rival_teams({{nullptr, 100}, {&one, 2}}, 2), Each(0));
}

}  // namespace
}  // namespace mkmd::vendor
