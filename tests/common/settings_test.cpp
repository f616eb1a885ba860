// SPDX-License-Identifier: Apache-2.0
#include "common/settings.hpp"

#include <cstdlib>
#include <gmock/gmock.h>

using namespace mkmd;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

class SettingsTest : public testing::Test {
protected:
  void SetUp() override {
    for (const SettingInfo& setting : setting_list())
      unsetenv(setting.variable.c_str());
    unsetenv("MKMD_POLICE");
  }
  void TearDown() override { SetUp(); }

  Settings read() {
    problems.clear();
    return read_settings(problems);
  }
  std::vector<std::string> problems;
};

TEST_F(SettingsTest, DefaultsWithoutVariables) {
  const Settings settings = read();
  EXPECT_THAT(problems, IsEmpty());
  EXPECT_TRUE(settings.enabled);
  EXPECT_EQ(settings.policy, "mkmd-malleable");
  EXPECT_EQ(settings.log_level, LogLevel::warning);
}

TEST_F(SettingsTest, ReadsEachType) {
  setenv("MKMD_DEVICES", "pocl/2", 1);
  setenv("MKMD_SEPARATE_MEMORY", "1", 1);
  setenv("MKMD_LOG", "debug", 1);
  const Settings settings = read();
  EXPECT_THAT(problems, IsEmpty());
  EXPECT_EQ(settings.devices, "pocl/2");
  EXPECT_TRUE(settings.separate_memory);
  EXPECT_EQ(settings.log_level, LogLevel::debug);
}

TEST_F(SettingsTest, BadValueKeepsTheDefaultAndNamesWhatIsAccepted) {
  setenv("MKMD_SEPARATE_MEMORY", "yes", 1);
  EXPECT_FALSE(read().separate_memory);
  EXPECT_THAT(problems,
              ElementsAre(testing::AllOf(HasSubstr("MKMD_SEPARATE_MEMORY=yes"), HasSubstr("0 or 1"))));
}

TEST_F(SettingsTest, UnknownVariableNamesTheNearest) {
  setenv("MKMD_POLICE", "heft", 1);
  read();
  EXPECT_THAT(problems, ElementsAre(testing::AllOf(HasSubstr("MKMD_POLICE"), HasSubstr("MKMD_POLICY?"))));
}

TEST_F(SettingsTest, EverySettingIsDocumented) {
  for (const SettingInfo& setting : setting_list()) {
    EXPECT_TRUE(setting.variable.starts_with("MKMD_"));
    EXPECT_FALSE(setting.sentence.empty()) << setting.variable;
    EXPECT_FALSE(setting.accepted.empty()) << setting.variable;
  }
}

}  // namespace
