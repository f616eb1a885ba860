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
  EXPECT_THAT(parse_verify({"--all", "--devices=pocl/2", "a"})->variables,
              UnorderedElementsAre(Pair("MKMD_DEVICES", "pocl/2"), Pair("MKMD_VERIFY_ALL", "1")));
}

TEST(CommandLine, AnEmptyValueIsNotTheNextWord) {
  const auto options = parse_run({"--devices=", "./program", "--trace="});
  ASSERT_TRUE(options);
  EXPECT_THAT(options->variables, ElementsAre(Pair("MKMD_DEVICES", "")));
  EXPECT_THAT(options->program, ElementsAre("./program", "--trace="));
}

TEST(CommandLine, OptionsStandBeforeAndBehindOtherWords) {
  const auto options = parse_simulate(
      {"--json", "--policy", "a", "in", "--policy=b:c=d", "--seed", "3", "--output", "x", "--output", "-y"});
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->json);
  EXPECT_THAT(options->policies, ElementsAre("a", "b:c=d"));
  EXPECT_EQ(options->input, "in");
  EXPECT_EQ(options->disturbance.seed, 3u);
  EXPECT_EQ(options->output, "-y");
  EXPECT_EQ(parse_simulate({"-"})->input, "-");
  EXPECT_EQ(parse_simulate({"--json", "--", "--json"})->input, "--json");
}

TEST(CommandLine, MistakesNameTheOptionAndWhatIsAccepted) {
  const auto mistake = [](const Words& words) { return parse_simulate(words).status().message(); };
  EXPECT_THAT(mistake({"--polcy", "x"}),
              HasSubstr("unknown option --polcy; accepted: --policy NAME, --platform"));
  EXPECT_THAT(mistake({"-j"}), HasSubstr("unknown option -j; accepted: --policy NAME"));
  EXPECT_EQ(mistake({"--output"}), "--output needs a value: FILE");
  EXPECT_EQ(mistake({"--output", "--", "x"}), "--output needs a value: FILE");
  EXPECT_EQ(mistake({"--json=1"}), "--json takes no value");
  EXPECT_EQ(mistake({"--json="}), "--json takes no value");
  EXPECT_EQ(mistake({"a", "b"}), "more than one input: a and b");
  for (const std::string wrong : {"-0.1", "1", "nan", "inf", "x", ""})
    EXPECT_EQ(mistake({"--jitter=" + wrong}), "--jitter " + wrong + ": give 0 to 0.99");
  for (const std::string wrong : {"0", "10001", "1.5", "1x", "0x1", "-1", " 1", "", "99999999999999999999"})
    EXPECT_EQ(parse_profile({"--runs", wrong, "a"}).status().message(),
              "--runs " + wrong + ": give 1 to 10000, a whole number");
  EXPECT_EQ(parse_inspect({"--a", "--b", "t"}, {{"--a", "A"}, {"--b", "B"}}).status().message(),
            "--b: not with --a");
}

TEST(CommandLine, OptionsOfTheCompilerAreKept) {
  const auto options = parse_kernels({"-DN=3", "k.cl", "-cl-std=CL2.0", "--global=64,8", "--arg", "n=-1"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->build, "-DN=3 -cl-std=CL2.0 ");
  EXPECT_EQ(options->file, "k.cl");
  EXPECT_THAT(options->global, ElementsAre(64, 8, 0));
  EXPECT_THAT(options->numbers, ElementsAre(Pair("n", -1)));
}

TEST(CommandLine, HelpComesBeforeMistakes) {
  const auto options = parse_models({"--nope", "a", "-h", "--export"});
  ASSERT_TRUE(options);
  EXPECT_THAT(options->help, HasSubstr("\n  --import FILE        add FILE's models;"));
  EXPECT_THAT(parse_verify({"--help"})->help, testing::Not(HasSubstr("--policy")));
  EXPECT_EQ(parse_models({})->help, "");
}

}  // namespace
