// SPDX-License-Identifier: Apache-2.0
// Windows of the equations of bench/apps, recorded on PoCL (recorded_plans.py --keep): from what the planner
// was given then, it makes the plan that was recorded.
#include "libinterpose/planning/record.hpp"
#include "libinterpose/planning/replay.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

namespace mkmd::planning {
namespace {

using nlohmann::json;

std::vector<std::string> recordings() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(MKMD_TEST_DATA "/plans"))
    if (file.path().extension() == ".json") names.push_back(file.path().stem());
  std::ranges::sort(names);
  return names;
}

json window_of(const std::string& recording) {
  std::ifstream file(MKMD_TEST_DATA "/plans/" + recording + ".json");
  return json::parse(file);
}

class RecordedPlans : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Equations, RecordedPlans, testing::ValuesIn(recordings()), [](const auto& of) {
  std::string name = of.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST_P(RecordedPlans, AreMadeAgain) {
  const json window = window_of(GetParam());
  const Result<Replayed> replayed = replay(window);
  ASSERT_TRUE(replayed) << replayed.status().message();
  EXPECT_EQ(replayed->difference, "");
  EXPECT_EQ(to_json(replayed->plan), window["planned"]["plan"]);
}

TEST(RecordedWindows, AreOfAllEquationsInBothKindsOfMemory) {
  std::map<std::string, std::set<std::string>> of;  // by equation
  size_t split = 0;
  for (const std::string& name : recordings()) {
    const size_t dash = name.find('-');
    of[name.substr(0, dash)].insert(name.substr(dash + 1));
    const json window = window_of(name);
    for (const json& task : window["planned"]["plan"])
      split += task.contains("pieces") && task["pieces"].size() > 1 ? 1 : 0;
  }
  EXPECT_EQ(of.size(), 12U);
  for (const auto& [equation, kinds] : of)
    EXPECT_EQ(kinds.size(), 4U) << equation;
  EXPECT_GT(split, 48U);
}

}  // namespace
}  // namespace mkmd::planning
