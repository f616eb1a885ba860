// SPDX-License-Identifier: Apache-2.0
// Models that are fitted to the store, and kept beside it.
#include "tests/profiler/store_fixture.hpp"

#include <nlohmann/json.hpp>

namespace mkmd::profiler {
namespace {

TEST_F(StoreTest, ImportedModelsHoldUntilTheKernelIsMeasuredHere) {
  std::ofstream out(spool_file(), std::ios::binary);
  for (int i = 1; i < 20; ++i)
    out << to_line(record(i));
  out.close();
  const auto first = learn(places_);
  ASSERT_TRUE(first);
  ASSERT_EQ(first.value().entries.size(), 1u);
  auto entry = first.value().entries.front();
  entry.model.classes.front().coefficients[1] = 12345;
  auto foreign = entry;
  foreign.key.device = "of another machine";
  const std::string file = folder_ + "/given.json";
  ASSERT_TRUE(models::write_models(file, Whose::named, {entry, foreign}));
  ASSERT_TRUE(import_models(file, places_.models));
  auto now = learn(places_);
  ASSERT_TRUE(now);
  ASSERT_EQ(now.value().entries.size(), 2u);
  EXPECT_EQ(now.value().fitted, 0);
  EXPECT_EQ(now.value().entries.front().model.classes.front().coefficients[1], 12345);
  std::ofstream(spool_file("2.2"), std::ios::binary) << to_line(record(21));
  now = learn(places_);
  ASSERT_TRUE(now);
  EXPECT_EQ(now.value().fitted, 1);
  ASSERT_EQ(now.value().entries.size(), 2u);
  EXPECT_FALSE(now.value().entries.front().model.imported);
  EXPECT_TRUE(now.value().entries.back().model.imported);
}

TEST_F(StoreTest, DamagedModelsAreMovedAsideAndFittedAgain) {
  std::ofstream out(spool_file(), std::ios::binary);
  for (int i = 1; i < 20; ++i)
    out << to_line(record(i));
  out.close();
  ASSERT_TRUE(learn(places_));
  for (const char* damage : {"", "garbage", "{\"mkmd_models\":1,\"models\":3}", "[]"}) {
    std::ofstream(places_.models) << damage;
    const auto learned = learn(places_);
    ASSERT_TRUE(learned) << learned.status().message();
    EXPECT_THAT(notices_, ElementsAre(HasSubstr(places_.models + ".damaged-"))) << damage;
    EXPECT_EQ(learned->fitted, 1);
    const auto again = models::read_models(places_.models, Whose::ours);
    ASSERT_TRUE(again) << again.status().message();
    EXPECT_EQ(again->size(), 1u);
  }
  int kept = 0;
  for (const auto& entry : fs::directory_iterator(folder_))
    kept += entry.path().string().find("models.json.damaged-") != std::string::npos;
  EXPECT_EQ(kept, 4);
}

TEST_F(StoreTest, ModelsOfANewerVersionAreLeftAsTheyAre) {
  std::ofstream(places_.models) << "{\"mkmd_models\": 2, \"models\": {}}";
  std::ofstream(places_.store) << "garbage";
  const auto learned = learn(places_);
  ASSERT_FALSE(learned);
  EXPECT_THAT(learned.status().message(), HasSubstr("format 2"));
  EXPECT_THAT(notices_, ElementsAre(HasSubstr(places_.store + ".damaged-"))) << "said although it failed";
  EXPECT_TRUE(fs::exists(places_.models));
}

TEST_F(StoreTest, PredictionsHaveEachSampleOfEachModel) {
  std::ofstream out(spool_file(), std::ios::binary);
  for (int i = 1; i < 20; ++i)
    out << to_line(record(i));
  out.close();
  const auto learned = learn(places_);
  std::string notice;
  auto store = Store::open(places_.store, Whose::ours, notice);
  ASSERT_TRUE(learned && store);
  const auto listed = predictions(**store, learned->entries);
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->size(), 1U);
  const nlohmann::json& model = listed->front();
  EXPECT_EQ(model["kernel"], "kernel");
  EXPECT_EQ(model["held_out_mape"], learned->entries.front().model.held_out_mape);
  EXPECT_EQ(model["samples"].size(), 19U);
  for (const nlohmann::json& sample : model["samples"]) {
    EXPECT_GT(sample["measured"], 0);
    EXPECT_GT(sample["predicted"], 0);
  }
  EXPECT_EQ(*predictions(**store, {}), nlohmann::json::array());
}

}  // namespace
}  // namespace mkmd::profiler
