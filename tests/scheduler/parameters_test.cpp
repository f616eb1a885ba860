// SPDX-License-Identifier: Apache-2.0
#include "scheduler/parameters.hpp"

#include <gtest/gtest.h>

namespace mkmd::scheduler {
namespace {

TEST(Parameters, ReadsKeysAndKeepsDefaults) {
  ParameterReader reader("heft:steps=7,share=0.25");
  int steps = 100, other = 3;
  double share = 0;
  reader.integer("steps", steps, 1, 1000);
  reader.integer("other", other, 1, 10);
  reader.number("share", share, 0, 1);
  EXPECT_TRUE(reader.finish().ok());
  EXPECT_EQ(reader.name(), "heft");
  EXPECT_EQ(steps, 7);
  EXPECT_EQ(other, 3);
  EXPECT_EQ(share, 0.25);
}

TEST(Parameters, NamesWhatIsAccepted) {
  ParameterReader reader("heft:rnk=min");
  int steps = 1;
  reader.integer("steps", steps, 1, 9);
  EXPECT_EQ(reader.finish().message(), "heft: unknown parameter \"rnk\" (accepted: steps=1..9)");

  ParameterReader bad("heft:steps=12");
  bad.integer("steps", steps, 1, 9);
  EXPECT_EQ(bad.finish().message(), "heft: steps=12 is not accepted (accepted: 1..9)");

  for (const char* spec :
       {"heft:steps=", "heft:steps=1x", "heft:", "heft:steps=1,", "heft:steps=1,steps=2"}) {
    ParameterReader broken(spec);
    broken.integer("steps", steps, 1, 9);
    EXPECT_FALSE(broken.finish().ok()) << spec;
  }
}

}  // namespace
}  // namespace mkmd::scheduler
