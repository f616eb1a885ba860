// SPDX-License-Identifier: Apache-2.0
// The example of docs/adding-a-policy.md, compiled from that file, held to what every policy is held to.
#include "scheduler/generators/random_graph.hpp"
#include "scheduler/policies/factories.hpp"
#include "tests/scheduler/data.hpp"

namespace mkmd::scheduler {

MadePolicy make_patient(ParameterReader& reader);

namespace {

TEST(AddingAPolicy, TheExampleWorks) {
  ParameterReader reader("patient:patience=1.5");
  MadePolicy policy = make_patient(reader);
  ASSERT_TRUE(policy.ok()) << policy.status().message();
  for (int seed = 0; seed < 200; ++seed) {
    const Problem problem = random_problem(seed);
    const Result<Schedule> schedule = (*policy)->schedule(problem, {});
    ASSERT_TRUE(schedule.ok());
    const Status valid = validate(problem, *schedule);
    EXPECT_TRUE(valid.ok()) << valid.message();
  }
  ParameterReader wrong("patient:patience=0");
  EXPECT_FALSE(make_patient(wrong).ok());
}

}  // namespace
}  // namespace mkmd::scheduler
