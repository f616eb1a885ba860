// SPDX-License-Identifier: Apache-2.0
#include "tools/verdict.hpp"

#include <gmock/gmock.h>

namespace mkmd::tool {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

std::string line(int process, const std::string& kernel, const json& what, const std::string& program = "p") {
  json all = what;
  all["process"] = process;
  all["kernel"] = kernel;
  all["program"] = program;
  return all.dump() + "\n";
}

json totals(int launches, int splittable, int checked, int differences = 0) {
  return {{"totals",
           {{"launches", launches},
            {"splittable", splittable},
            {"checked", checked},
            {"splits", 2 * checked},
            {"pieces", 6 * checked},
            {"differences", differences},
            {"why_not", splittable < launches ? "it has one work-group" : ""},
            {"why_line", 0}}}};
}

json difference(const std::string& what) {
  return {{"difference",
           {{"what", what},
            {"device", "pocl/2#1"},
            {"first_group", {2, 0, 0}},
            {"end_group", {4, 1, 3}},
            {"argument", 1},
            {"name", "out"},
            {"first_byte", 8},
            {"end_byte", 16},
            {"line", 12}}}};
}

const json kCrash = {
    {"ended_by",
     {{"what", "crash"}, {"device", "pocl"}, {"first_group", {0, 0, 0}}, {"end_group", {4, 1, 1}}}}};
const std::string kComplete = "{\"process\": 1, \"complete\": true}\n";

TEST(Verdict, TheLastTotalsOfAProcessCount) {
  const json verdict = verdict_of(line(1, "k", totals(1, 1, 1)) + line(1, "k", totals(8, 7, 3)) + kComplete);
  ASSERT_EQ(verdict["kernels"].size(), 1u);
  EXPECT_EQ(verdict["kernels"][0]["launches"], 8);
  EXPECT_EQ(verdict["kernels"][0]["checked"], 3);
  EXPECT_EQ(verdict["incomplete"], 0);
  EXPECT_EQ(as_text(verdict), "mkmd: k: 8 launched, 7 may be split, 3 checked (6 splits, 18 pieces): no "
                              "differences; 1 may not be split: it has one work-group\n");
}

TEST(Verdict, LaunchesFromExitHandlersAreNotMissing) {
  EXPECT_EQ(
      verdict_of(line(1, "k", totals(1, 1, 1)) + kComplete + line(1, "k", totals(2, 1, 1)))["incomplete"], 0);
  EXPECT_EQ(verdict_of(line(1, "k", totals(1, 1, 1)))["incomplete"], 1);
}

TEST(Verdict, ProcessesAreAddedUp) {
  json far = totals(2, 2, 2);
  far["totals"]["ulps"] = 3;
  json farther = totals(3, 3, 1);
  farther["totals"]["ulps"] = 5;
  farther["totals"]["nans"] = 1;
  farther["totals"]["bytes"] = 2;
  const json verdict = verdict_of(line(1, "k", far) + kComplete + line(2, "k", farther));
  const json& kernel = verdict["kernels"][0];
  EXPECT_EQ(kernel["launches"], 5);
  EXPECT_EQ(kernel["checked"], 3);
  EXPECT_EQ(kernel["ulps"], 5);
  EXPECT_EQ(verdict["incomplete"], 1);
  EXPECT_THAT(as_text(verdict), HasSubstr("differ by up to 5 ulps; 1 number NaN on one of them only; 2 bytes "
                                          "that are no floats differ between them\n"));
  EXPECT_THAT(as_text(verdict), HasSubstr("\nmkmd: a process ended without exit handlers"));
}

TEST(Verdict, KernelsOfSeveralProgramsAreKeptApart) {
  const json verdict = verdict_of(line(1, "k", totals(1, 1, 1), "p") + line(1, "k", totals(2, 2, 2), "q"));
  ASSERT_EQ(verdict["kernels"].size(), 2u);
  EXPECT_EQ(verdict["kernels"][1]["program"], "q");
  EXPECT_EQ(verdict["kernels"][1]["launches"], 2);
}

TEST(Verdict, DifferencesAreSentences) {
  for (const auto& [what, says] : std::map<std::string, std::string>{
           {"undescribed read", "is read, but not described as read"},
           {"undescribed write", "is written, but not described as written"},
           {"missing write", "is described as surely written, but keeps what it held"},
           {"other result", "is not what the whole launch makes of it, whatever the rest holds"}}) {
    const json verdict = verdict_of(line(1, "k", difference(what)) + line(1, "k", totals(1, 1, 1, 1)));
    ASSERT_EQ(verdict["differences"].size(), 1u);
    EXPECT_EQ(verdict["differences"][0]["kernel"], "k");
    EXPECT_THAT(as_text(verdict), HasSubstr("mkmd: k: argument 1 (out), bytes 8-15, " + says +
                                            " (line 12); work-groups 2-3 x 0-2 on pocl/2#1\n"));
    EXPECT_THAT(as_text(verdict), HasSubstr("1 with differences"));
  }
}

TEST(Verdict, DifferencesWithoutAnArgument) {
  json nowhere = difference("undescribed write");
  nowhere["difference"].erase("argument");
  EXPECT_THAT(as_text(verdict_of(line(1, "k", nowhere))),
              HasSubstr("k: memory beyond its arguments is written"));
  nowhere["difference"]["what"] = "undescribed read";
  EXPECT_THAT(as_text(verdict_of(line(1, "k", nowhere))),
              HasSubstr("k: what is in several arguments together"));
}

TEST(Verdict, ACrashCountsIfItIsTheLastOfItsProcess) {
  const json crashed =
      verdict_of(line(1, "k", totals(4, 4, 2)) + line(1, "k", kCrash) + line(2, "l", totals(1, 1, 1)));
  ASSERT_EQ(crashed["differences"].size(), 1u);
  EXPECT_EQ(crashed["kernels"][0]["differences"], 1);
  EXPECT_THAT(as_text(crashed), HasSubstr("mkmd: k: a piece crashed that found poison"));
  const json handled = verdict_of(line(1, "k", kCrash) + line(1, "k", totals(4, 4, 2)));
  EXPECT_EQ(handled["differences"].size(), 0u);
  const json at_once = verdict_of(line(1, "k", kCrash));
  EXPECT_THAT(as_text(at_once), HasSubstr("0 checked (0 splits, 0 pieces): 1 with differences"));
}

TEST(Verdict, WhatIsNotCheckedIsSaid) {
  json failed = totals(9, 9, 4);
  failed["totals"]["failed"] = 3;
  failed["totals"]["why_failed"] = "no memory";
  failed["totals"]["varying"] = 2;
  const std::string text = as_text(verdict_of(line(1, "k", failed)));
  EXPECT_THAT(text,
              HasSubstr("; 3 could not be checked: no memory; 2 with other results each time they run"));
  json none = totals(9, 0, 0);
  none["totals"]["why_line"] = 3;
  EXPECT_EQ(as_text(verdict_of(line(1, "k", none) + kComplete)),
            "mkmd: k: 9 launched, none may be split: it has one work-group (line 3)\n");
}

TEST(Verdict, DamagedLinesAreLeftOut) {
  const std::string good = line(1, "k", totals(1, 1, 1));
  const json verdict = verdict_of("\n{\n[]\n{\"process\": \"x\"}\n{\"process\": 1, \"totals\": 5}\n" + good +
                                  good.substr(0, good.size() / 2));
  ASSERT_EQ(verdict["kernels"].size(), 1u);
  EXPECT_EQ(verdict["kernels"][0]["launches"], 1);
  EXPECT_EQ(verdict_of("")["kernels"].size(), 0u);
}

TEST(Verdict, NothingInItReachesTheTerminal) {
  json hostile = difference("undescribed read");
  hostile["difference"]["name"] = "x\x1b]0;t\x07";
  hostile["difference"]["device"] = "d\r\n";
  const std::string text =
      as_text(verdict_of(line(1, "k\x1b[2J", hostile) + line(1, "k\x1b[2J", totals(1, 0, 0))));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\r")));
}

}  // namespace
}  // namespace mkmd::tool
