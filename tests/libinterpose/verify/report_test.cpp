// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/verify/report.hpp"

#include "common/files.hpp"
#include "common/text.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <sstream>
#include <unistd.h>

namespace mkmd::verify {
namespace {

using nlohmann::json;

class ReportTest : public testing::Test {
protected:
  void SetUp() override { ASSERT_NE(mkdtemp(folder_), nullptr); }
  void TearDown() override {
    unlink(file().c_str());
    rmdir(folder_);
  }
  std::string file() const { return std::string(folder_) + "/report"; }
  std::vector<json> lines() const {
    std::vector<json> all;
    std::istringstream text(*read_file(file()));
    for (std::string line; std::getline(text, line);)
      all.push_back(json::parse(line));
    return all;
  }

  char folder_[32] = "/tmp/mkmd-report-XXXXXX";
};

TEST_F(ReportTest, TotalsAreOfAProcessAKernelAndItsProgram) {
  Report report(file());
  Totals& totals = report.totals({"k", "p"});
  totals.launches = 5;
  totals.splittable = 4;
  totals.checked = 3;
  totals.why_not = "why";
  totals.why_line = 7;
  report.totals({"k", "q"}).distance = {.ulps = 2, .nans = 3, .bytes = 4};
  report.write_totals({"k", "p"});
  report.write_all();
  const std::vector<json> all = lines();
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0], all[1]);
  EXPECT_EQ(all[0]["process"], getpid());
  EXPECT_EQ(all[0]["kernel"], "k");
  EXPECT_EQ(all[0]["program"], "p");
  EXPECT_EQ(all[0]["totals"]["launches"], 5);
  EXPECT_EQ(all[0]["totals"]["splittable"], 4);
  EXPECT_EQ(all[0]["totals"]["checked"], 3);
  EXPECT_EQ(all[0]["totals"]["why_not"], "why");
  EXPECT_EQ(all[0]["totals"]["why_line"], 7);
  EXPECT_EQ(all[2]["program"], "q");
  EXPECT_EQ(all[2]["totals"]["ulps"], 2);
  EXPECT_EQ(all[2]["totals"]["nans"], 3);
  EXPECT_EQ(all[2]["totals"]["bytes"], 4);
  EXPECT_EQ(all[3], (json{{"process", getpid()}, {"complete", true}}));
}

TEST_F(ReportTest, LaunchesAreCountedEverMoreSeldom) {
  Report report(file());
  Totals& totals = report.totals({"k", "p"});
  for (totals.launches = 1; totals.launches < 100; ++totals.launches)
    report.count({"k", "p"}, totals);
  EXPECT_EQ(lines().size(), 7u);
  report.write_all();
  report.count({"k", "p"}, totals);  // from an exit handler that runs later
  EXPECT_EQ(lines().back()["totals"]["launches"], 100);
}

TEST_F(ReportTest, AProgramWithoutKernelsHasNothingToSay) {
  Report report(file());
  report.write_all();
  EXPECT_FALSE(read_file(file()).ok());
}

TEST_F(ReportTest, DifferencesNameTheArgument) {
  compiler::KernelInfo info;
  info.arguments.resize(2);
  info.arguments[1].name = "output\xff";  // whatever a compiler lets through
  Difference difference;
  difference.kind = Difference::Kind::missing_write;
  difference.argument = 1;
  difference.bytes = {4, 9};
  difference.line = 12;
  difference.device = "pocl/2#1";
  difference.box = {{1, 2, 3}, {4, 5, 6}};
  Report report(file());
  report.write_difference({"k", "p"}, info, difference);
  difference.argument = -1;
  report.write_difference({"k", "p"}, info, difference);
  const std::vector<json> all = lines();
  ASSERT_EQ(all.size(), 2u);
  const json& first = all[0]["difference"];
  EXPECT_EQ(first["what"], "missing write");
  EXPECT_EQ(first["argument"], 1);
  EXPECT_EQ(first["name"], "output\xef\xbf\xbd");
  EXPECT_EQ(first["first_byte"], 4);
  EXPECT_EQ(first["end_byte"], 9);
  EXPECT_EQ(first["line"], 12);
  EXPECT_EQ(first["device"], "pocl/2#1");
  EXPECT_EQ(first["first_group"], (json{1, 2, 3}));
  EXPECT_EQ(first["end_group"], (json{4, 5, 6}));
  EXPECT_FALSE(all[1]["difference"].contains("argument"));
}

TEST_F(ReportTest, ACrashIsALineThatIsReadyBefore) {
  const std::string line = Report::end_line({"k", "p"}, "crash", "pocl", {{0, 0, 0}, {8, 1, 1}});
  EXPECT_EQ(line.back(), '\n');
  const json said = json::parse(line);
  EXPECT_EQ(said["ended_by"]["what"], "crash");
  EXPECT_EQ(said["process"], getpid());
}

}  // namespace
}  // namespace mkmd::verify
