// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/planning/replay.hpp"

#include "libinterpose/planning/record.hpp"
#include "scheduler/json_forms.hpp"
#include "tests/libinterpose/planning/windows.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

namespace mkmd::planning {
namespace {

using namespace test;
using nlohmann::json;

// As a trace would have it, through text.
json record(const Machine& machine, Buffers& buffers, const std::vector<Task>& tasks, CutMemory& cuts) {
  const BufferOf lookup = buffers.lookup();
  Record record(machine, lookup, cuts, Purpose::speed);
  Planner planner(record.machine(), record.buffer_of(), cuts, Purpose::speed);
  for (const Task& task : tasks)
    planner.add(record.watch(task));
  const Plan plan = std::move(planner).make(true);
  const scheduler::Problem problem = make_problem(machine, plan.tasks, lookup);
  json window = {{"planned", record.finish(plan, true)}, {"graph", scheduler::to_json(problem.graph)}};
  if (plan.schedule) window["schedule"] = scheduler::to_json(*plan.schedule, problem);
  return json::parse(window.dump());
}

class Replays : public testing::TestWithParam<std::string> {};

TEST_P(Replays, GiveThePlanThatWasRecorded) {
  const std::unique_ptr<scheduler::Policy> policy = policy_named(GetParam());
  ASSERT_NE(policy, nullptr);
  CutMemory cuts;  // of earlier windows
  for (unsigned seed = 0; seed < 60; ++seed) {
    RandomWindow random(seed, policy.get());
    if (seed % 2 != 0)
      random.machine.copy_seconds = [](int from, int to, double bytes) {
        return 1e-6 * (from + to) + bytes * 1e-10;
      };
    const json window = record(random.machine, *random.buffers, random.window, cuts);
    const Result<Replayed> replayed = replay(window);
    ASSERT_TRUE(replayed) << seed << ": " << replayed.status().message();
    EXPECT_EQ(replayed->difference, "") << seed;
    EXPECT_EQ(to_json(replayed->plan), window["planned"]["plan"]) << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, Replays, testing::Values("mkmd", "mkmd-malleable", "random-cuts:seed=3"),
                         [](const auto& of) {
                           std::string name = of.param.substr(0, of.param.find(':'));
                           std::erase(name, '-');
                           return name;
                         });

class Changed : public testing::Test {
protected:
  Changed() {
    std::vector<Task> window;
    window.push_back(rows_kernel(buffers_[0], buffers_[1], 1024, 4096, {0.1, 0.1}));
    window.push_back(rows_kernel(buffers_[1], buffers_[2], 1024, 4096, {0.1, 0.1}));
    window_ = record(machine_, buffers_, window, cuts_);
  }
  std::string difference() {
    const Result<Replayed> replayed = replay(window_);
    return replayed ? replayed->difference : "error: " + replayed.status().message();
  }

  const std::unique_ptr<scheduler::Policy> policy_ = policy_named("mkmd-slices");
  const Machine machine_ = machine_of(2, true, policy_.get());
  Buffers buffers_{3, 1024 * 4096, 2};
  CutMemory cuts_;
  json window_;
};

TEST_F(Changed, NothingIsNoDifference) {
  EXPECT_EQ(difference(), "");
}

// One set of bytes can be cut into blocks in several ways, and each block is a row of the graph.
TEST_F(Changed, BytesKeepTheirBlocks) {
  constexpr uint64_t kRow = 4096;
  buffers_.places(0).add_valid(1, ByteRanges::of_blocks({{0, kRow}, {kRow, kRow}, {3 * kRow, kRow}}));
  window_ =
      record(machine_, buffers_, {rows_kernel(buffers_[0], buffers_[1], 1024, kRow, {0.1, 0.1})}, cuts_);
  EXPECT_EQ(window_["graph"]["resident"].size(), 3u);
  EXPECT_EQ(difference(), "");

  json& bytes = window_["planned"]["buffers"][0]["valid"].back()["bytes"];
  ASSERT_EQ(bytes.size(), 3u) << window_["planned"]["buffers"].dump();
  bytes[1] = {0, kRow};
  EXPECT_EQ(difference().rfind("error: this is no record of a planned window: blocks of bytes are", 0), 0)
      << difference();
  bytes[1] = {kRow, 3 * kRow};
  EXPECT_EQ(difference().rfind("error: this is no record of a planned window: blocks of bytes have", 0), 0)
      << difference();
  bytes[1] = {kRow, kRow, 0, 2};
  EXPECT_EQ(difference().rfind("error: this is no record of a planned window: blocks of bytes are", 0), 0)
      << difference();
}

TEST_F(Changed, AnotherTimeMakesAnotherGraph) {
  window_["planned"]["tasks"][0]["seconds"][1] = 0.2;
  EXPECT_EQ(difference().rfind("another graph was made, first {", 0), 0) << difference();
  EXPECT_NE(difference().find("/tasks/1/times/1"), std::string::npos) << "where: " << difference();
}

TEST_F(Changed, AnotherPlanIsNamed) {
  window_["planned"]["plan"][1]["pieces"][0]["device"] = 7;
  EXPECT_EQ(difference().rfind("task 2: ", 0), 0) << difference();
}

TEST_F(Changed, WhatNobodyAskedForIsNotKnown) {
  window_["planned"]["tasks"][0]["uses"].erase(window_["planned"]["tasks"][0]["uses"].size() - 1);
  EXPECT_EQ(difference().rfind("the planner asks for something else", 0), 0) << difference();
}

TEST_F(Changed, WhatIsNoRecordIsAnError) {
  window_["planned"]["purpose"] = "fun";
  EXPECT_EQ(difference(), "error: this is no record of a planned window: \"fun\" is not known");
  window_["planned"] = json::object();
  EXPECT_EQ(difference().rfind("error: this is no record", 0), 0);
  window_["planned"] = json::parse("[1]");
  EXPECT_EQ(difference().rfind("error: this is no record", 0), 0);
}

}  // namespace
}  // namespace mkmd::planning
