// SPDX-License-Identifier: Apache-2.0
#include "models/model.hpp"

#include "models/fit.hpp"

#include <nlohmann/json.hpp>

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace mkmd::models {
namespace {

using testing::HasSubstr;

std::vector<Sample> samples(double exponent, bool local_sizes) {
  std::vector<Sample> all;
  for (int i = 1; i <= 24; ++i) {
    Sample s;
    s.work.local = {local_sizes && i % 2 == 0 ? 8u : 64u, 1, 1};
    s.work.items = 1000.0 * i;
    s.work.operations = s.work.items * (i % 5 + 1);
    s.work.bytes = s.work.footprint = s.work.items * 4;
    s.input = static_cast<uint64_t>(i);
    s.seconds = 1e-12 * std::pow(s.work.operations, exponent) * (s.work.local[0] == 8 ? 3 : 1);
    all.push_back(s);
  }
  return all;
}

std::string folder() {
  const std::string path = testing::TempDir() + "mkmd-models-" + std::to_string(getpid());
  std::filesystem::create_directories(path);
  return path;
}

TEST(ModelsFile, EveryFormSurvivesTheRoundTrip) {
  std::vector<Entry> entries;
  entries.push_back({{"linear", "c", "d"}, *fit(samples(1, true))});
  entries.push_back({{"power", "c", "d"}, *fit(samples(1.5, false))});
  entries.push_back({{"local", "c", "device|with|\"parts\""}, *fit({samples(1, false).front()})});
  entries.back().model.together = 1.5;
  const std::string file = folder() + "/deeper/models.json";
  ASSERT_TRUE(write_models(file, Whose::ours, entries));
  const auto again = read_models(file, Whose::ours);
  ASSERT_TRUE(again) << again.status().message();
  ASSERT_EQ(again.value().size(), entries.size());
  EXPECT_EQ(to_json(again.value()), to_json(entries));
  for (size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(again.value()[i].key, entries[i].key);
    EXPECT_EQ(again.value()[i].model.together, entries[i].model.together);
    for (const Sample& s : samples(1, true))
      EXPECT_EQ(again.value()[i].model.evaluate(s.work), entries[i].model.evaluate(s.work));
  }
}

TEST(ModelsFile, NoFileIsNoModels) {
  const auto none = read_models(folder() + "/nothing.json", Whose::ours);
  ASSERT_TRUE(none);
  EXPECT_TRUE(none.value().empty());
}

TEST(ModelsFile, AFolderInItsPlaceIsAMistake) {
  const auto read = read_models(folder(), Whose::named);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.status().message(), folder() + " is not a file");
}

TEST(ModelsFile, MistakesNameFileAndEntry) {
  const std::string file = folder() + "/broken.json";
  const auto message = [&](const std::string& text) {
    std::ofstream(file) << text;
    const auto read = read_models(file, Whose::ours);
    return read ? std::string("accepted") : read.status().message();
  };
  EXPECT_THAT(message(""), HasSubstr(file));
  EXPECT_THAT(message("{\"mkmd_models\": 1, \"models\""), HasSubstr("not JSON: line 1, column 28: "));
  EXPECT_THAT(message("{\"mkmd_models\": 1, \"models\": [1e999]}"),
              HasSubstr("not JSON: line 1, column 31: number overflow"));
  EXPECT_THAT(message("[1, 2]"), HasSubstr("not a models file"));
  EXPECT_THAT(message("{\"mkmd_models\": 99, \"models\": []}"), HasSubstr("format 99"));
  EXPECT_THAT(message("{\"mkmd_models\": 1}"), HasSubstr("models"));
  auto good = to_json({{{"k", "c", "d"}, *fit(samples(1, false))}});
  ASSERT_EQ(message(good.dump()), "accepted");
  auto bad = good;
  bad["models"][0]["classes"][0]["terms"]["operations"] = nullptr;
  EXPECT_THAT(message(bad.dump()), HasSubstr("model 1"));
  bad = good;
  bad["models"][0]["classes"][0]["terms"]["magic"] = 1;
  EXPECT_THAT(message(bad.dump()), HasSubstr("magic"));
  bad = good;
  bad["models"][0]["form"] = "cubic";
  EXPECT_THAT(message(bad.dump()), HasSubstr("linear, power, local"));
  bad = good;
  bad["models"][0]["range"]["items"] = {5, 1};
  EXPECT_THAT(message(bad.dump()), HasSubstr("items"));
  EXPECT_THAT(message("{\"mkmd_models\": 1, \"models\": 3}"), HasSubstr("\"models\" is not a list"));
  EXPECT_THAT(message("{\"mkmd_models\": 1, \"models\": [3]}"), HasSubstr("model 1: not an object"));
}

TEST(ModelsFile, WhatFittingNeverMakesIsAMistake) {
  const auto linear = to_json({{{"k", "c", "d"}, *fit(samples(1, false))}});
  const auto power = to_json({{{"k", "c", "d"}, *fit(samples(1.5, false))}});
  const auto local = to_json({{{"k", "c", "d"}, *fit({samples(1, false).front()})}});
  ASSERT_EQ(power["models"][0]["form"], "power");
  ASSERT_EQ(local["models"][0]["form"], "local");
  const auto expect = [](nlohmann::json all, const char* where, const nlohmann::json& value,
                         const char* complaint) {
    ASSERT_TRUE(entries_from_json(all)) << entries_from_json(all).status().message();
    all["models"][0][nlohmann::json::json_pointer(where)] = value;
    const auto read = entries_from_json(all);
    ASSERT_FALSE(read) << where;
    EXPECT_EQ(read.status().message(), std::string("model 1 (kernel k): ") + complaint);
  };
  expect(linear, "/classes/0/terms/operations", -1e-9, "operations is negative");
  expect(power, "/classes/0/c", -1e300, "c is negative");
  expect(power, "/classes/0/a", -1, "a is negative");
  expect(local, "/points/0/seconds", -1, "seconds is negative");
  expect(local, "/points/0/items", "many", "items is not a number");
  expect(linear, "/samples", -5, "samples is not a number of samples");
  expect(linear, "/samples", 1e300, "samples is not a number of samples");
  expect(linear, "/stored", -5, "stored is not a number of samples");
  expect(linear, "/held_out_mape", -1, "held_out_mape is negative");
  expect(linear, "/range/bytes", {-2, 1}, "bytes is negative");
  expect(linear, "/classes/0", {{"terms", {}}}, "\"local\" is missing");
  expect(linear, "/classes/0/local", {-1, 1, 1}, "a local size is not three whole numbers");
  expect(linear, "/classes", 3, "classes is not a list");
  expect(linear, "/range", 3, "not an object, so it has no \"items\"");
  expect(linear, "/content", 3, "content is not a string");
  expect(linear, "/imported", 3, "imported is neither true nor false");
}

TEST(ModelsFile, WhereItCannotBeWrittenNothingIsLost) {
  const std::string file = folder() + "/kept.json";
  ASSERT_TRUE(write_models(file, Whose::ours, {{{"k", "c", "d"}, *fit(samples(1, false))}}));
  const auto failed = write_models("/dev/null/models.json", Whose::ours, {});
  EXPECT_THAT(failed.message(), HasSubstr("/dev/null/models.json"));
  EXPECT_EQ(read_models(file, Whose::ours)->size(), 1u);
}

}  // namespace
}  // namespace mkmd::models
