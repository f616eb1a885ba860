// SPDX-License-Identifier: Apache-2.0
#include "tools/command_line.hpp"

#include <gmock/gmock.h>

using namespace mkmd::tool;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

namespace {

TEST(CommandLine, ProgramAloneKeepsItsOwnOptions) {
  const auto options = parse_run({"./program", "--devices", "x"});
  ASSERT_TRUE(options);
  EXPECT_THAT(options->variables, IsEmpty());
  EXPECT_THAT(options->program, ElementsAre("./program", "--devices", "x"));
}

TEST(CommandLine, OptionsBecomeVariables) {
  const auto options =
      parse_run({"--devices", "pocl/2", "--separate-memory", "--policy=heft", "--", "-odd-name", "--"});
  ASSERT_TRUE(options);
  EXPECT_THAT(options->variables,
              ElementsAre(Pair("MKMD_DEVICES", "pocl/2"), Pair("MKMD_SEPARATE_MEMORY", "1"),
                          Pair("MKMD_POLICY", "heft")));
  EXPECT_THAT(options->program, ElementsAre("-odd-name", "--"));
}

TEST(CommandLine, MistakesSayWhatIsAccepted) {
  const auto message = [](const std::vector<std::string>& arguments) {
    return parse_run(arguments).status().message();
  };
  EXPECT_THAT(message({"--device", "pocl", "a"}), AllOf(HasSubstr("--device"), HasSubstr("--devices SPEC")));
  EXPECT_THAT(message({"--devices"}), HasSubstr("needs a value"));
  EXPECT_THAT(message({"--separate-memory=1", "a"}), HasSubstr("takes no value"));
  EXPECT_THAT(message({"--"}), HasSubstr("no program"));
  EXPECT_THAT(message({}), HasSubstr("no program"));
}

TEST(CommandLine, RunsAreWhatTheSettingAccepts) {
  EXPECT_THAT(parse_profile({"--runs", "10000", "a"})->variables, ElementsAre(Pair("MKMD_PROFILE", "10000")));
  EXPECT_THAT(parse_profile({"--runs", "10001", "a"}).status().message(), HasSubstr("give 1 to 10000"));
  EXPECT_THAT(parse_profile({"--runs", "--", "a"}).status().message(), HasSubstr("--runs needs a value"));
}

TEST(CommandLine, VerifyTakesNoPolicy) {
  EXPECT_THAT(parse_verify({"--policy", "heft", "a"}).status().message(), HasSubstr("--policy"));
  EXPECT_THAT(parse_verify({"--all", "--devices=pocl/2", "a"})->run.variables,
              UnorderedElementsAre(Pair("MKMD_DEVICES", "pocl/2"), Pair("MKMD_VERIFY_ALL", "1")));
}

}  // namespace
