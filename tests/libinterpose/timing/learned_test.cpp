// SPDX-License-Identifier: Apache-2.0
// The second run of a program begins where the first has ended. In virtual time; files lie in a folder of the
// test's own.
#include "libinterpose/timing/learned.hpp"
#include "libinterpose/timing/learned_files.hpp"
#include "libinterpose/timing/time_model.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sys/stat.h>

namespace mkmd::timing {
namespace {

namespace fs = std::filesystem;

DeviceRates rates(const std::string& kind, double speed) {
  DeviceRates r;
  r.kind = kind;
  r.operations_per_second = r.bytes_per_second = speed;
  r.launch_seconds = 0;
  return r;
}

std::vector<DeviceRates> two_devices() {
  return {rates("a", 1e9), rates("b", 1e9)};
}

constexpr double kAtHome = 1e-3;
constexpr char kContent[] = "0123456789abcdef";
const LaunchCost kCost{1e6, 0, 7};  // a millisecond, as estimated

// A run of a program with one kernel: each launch is a window.
class OneRun {
public:
  explicit OneRun(double began) : now(began) {}

  void recall(const LearnedSource& source) {
    times.recall(kContent, source, now);
    budget.begin_with(source.left);
  }
  LearnedSource keep() const {
    LearnedSource source;
    source.runs = 1;
    source.left = std::min(budget.left(now), kLimits.free_exploring);
    for (TimeModel::Taught& of : times.taught()) {
      of.learned.history = of.model->history.keep(now);
      source.kernels.emplace(of.name, of.learned);
    }
    return source;
  }

  KernelModel& kernel() { return *times.of_kernel("k", kContent); }

  // A captured window takes `taken` seconds.
  Decision launch(double taken) {
    KernelModel& model = kernel();
    const std::shared_ptr<KernelHistory> history(model.shared_from_this(), &model.history);
    const Launch launch{.first_device = 2 * kAtHome, .at_home = kAtHome};
    const Decision decision = asked_.decide(*history, launch, now);
    if (decision.verdict == Verdict::native) {
      now += kAtHome;
      return decision;
    }
    exploring = asked_.take_in(history.get(), kAtHome, now);
    Window window = asked_.open_window();
    window.plan(history, launch, asked_.judge(*history, launch, now));
    asked_.close_window(&window, now);
    const double began = now;
    now += taken;
    times.learn(model, kCost, 0, 0.5, taken);
    times.learn(model, kCost, 1, 0.5, taken);
    asked_.observe(window, began, now, now);
    asked_.captured_all_done();
    return decision;
  }

  double now;
  bool exploring = false;
  RegretBudget budget;
  TimeModel times{two_devices()};

private:
  Profitability asked_{{.devices = 2}, budget};
};

// Through the text, as files hold it.
LearnedSource kept(const OneRun& run) {
  const auto source = learned_from(to_text(run.keep(), "test"), "test", 2);
  EXPECT_TRUE(source) << source.status().message();
  return source ? *source : LearnedSource();
}

TEST(SecondRun, KnowsTheTimes) {
  OneRun first(1000);
  for (int i = 0; i < 10; ++i)
    first.launch(kAtHome / 2);
  OneRun second(3);
  second.recall(kept(first));
  EXPECT_DOUBLE_EQ(second.times.seconds(second.kernel(), kCost, 1),
                   first.times.seconds(first.kernel(), kCost, 1));
  EXPECT_EQ(second.times.samples(second.kernel(), 1), 10);
  EXPECT_FALSE(second.times.has_run(second.kernel(), 1)) << "not in this process";
}

TEST(SecondRun, DoesNotExploreWhatGains) {
  OneRun first(1000);
  EXPECT_EQ(first.launch(kAtHome / 2).reason, Reason::new_kernel);
  EXPECT_TRUE(first.exploring);
  first.launch(kAtHome / 2);
  OneRun second(3);
  second.recall(kept(first));
  EXPECT_EQ(second.launch(kAtHome / 2).reason, Reason::gain_expected);
  EXPECT_FALSE(second.exploring);
}

TEST(SecondRun, SendsHomeWhatHasLost) {
  OneRun first(1000);
  while (first.launch(3 * kAtHome).verdict != Verdict::native) {
  }
  OneRun second(3);
  second.recall(kept(first));
  EXPECT_EQ(second.launch(3 * kAtHome).reason, Reason::lost_before);
}

// However short the runs are, all of them together try again as seldom as one long run does.
TEST(SecondRun, WaitsForARetryAsLongAsOneRunWould) {
  OneRun first(1000);
  while (first.launch(3 * kAtHome).verdict != Verdict::native) {
  }
  LearnedSource known = kept(first);
  double lost = 0, all = 0;
  for (int run = 0; run < 400; ++run) {
    OneRun next(50 * run);
    next.recall(known);
    const double began = next.now;
    for (int i = 0; i < 20; ++i) {
      const double before = next.now;
      if (next.launch(3 * kAtHome).verdict != Verdict::native) lost += next.now - before - kAtHome;
    }
    all += next.now - began;
    known = kept(next);
  }
  EXPECT_GT(lost, 0) << "it is tried again";
  EXPECT_LT(lost, kLimits.free_exploring + kLimits.regret * all);
}

TEST(SecondRun, HasNoMoreToSpendThanTheFirstHadLeft) {
  OneRun first(1000);
  first.launch(kAtHome);
  first.budget.spend(0.015);
  OneRun second(3);
  second.recall(kept(first));
  EXPECT_NEAR(second.budget.left(3), first.budget.left(first.now), 1e-9);
  EXPECT_LT(second.budget.left(3), 0.006);
  OneRun third(3);  // one that spent nothing does not leave more than there is at once
  OneRun rich(0);
  rich.launch(kAtHome);
  rich.now += 100;
  third.recall(kept(rich));
  EXPECT_LE(third.budget.left(3), kLimits.free_exploring);
}

TEST(SecondRun, RivalsAreKnownButHomeRunsTheKernelFirst) {
  RegretBudget budget;
  Rivalry rivalry({1, 2}, budget);
  const auto nothing_moves = [](int) { return 0.0; };
  Rivalry::Kernel known{.seconds = {2e-3, 1e-3}, .experience = {.samples = {5, 5}, .first_has_run = false}};
  EXPECT_FALSE(rivalry.sample(known, nothing_moves, 1.0));
  EXPECT_FALSE(rivalry.may_move(known));
  EXPECT_TRUE(rivalry.knows(known));
  known.experience.first_has_run = true;
  EXPECT_TRUE(rivalry.may_move(known));
  EXPECT_EQ(rivalry.choose({known}, nothing_moves), 2);
}

TEST(Learned, RivalsAreMeasuredAgainNowAndThen) {
  OneRun first(1000);
  first.launch(kAtHome / 2);
  LearnedSource source = kept(first);
  forget_rivals(source, {0, 0});
  EXPECT_EQ(source.kernels.at("k").devices[1].samples, 1) << "nobody has rivals";
  forget_rivals(source, {1, 2});
  EXPECT_EQ(source.kernels.at("k").devices[0].samples, 1);
  EXPECT_EQ(source.kernels.at("k").devices[1].samples, 0);
  EXPECT_EQ(source.kernels.at("k").shapes.at(kCost.shape)[1].samples, 0);
}

TEST(Learned, TheNextRunExpectsWhatTheLastOneGained) {
  OneRun first(1000);
  first.launch(kAtHome / 2);
  EXPECT_EQ(gain_of(kept(first)), 0);
  first.kernel().gain += 0.25;
  first.kernel().gain += 0.5;
  const LearnedSource known = kept(first);
  EXPECT_DOUBLE_EQ(gain_of(known), 0.75);
  OneRun second(3);
  second.recall(known);
  second.launch(kAtHome / 2);
  EXPECT_EQ(gain_of(kept(second)), 0) << "of its own launches";
}

TEST(Learned, OnlyShapesWithTheMostSamplesAreKept) {
  LearnedSource source;
  LearnedKernel& kernel = source.kernels["k"];
  kernel.devices.resize(2);
  for (uint64_t shape = 0; shape < 1000; ++shape)
    kernel.shapes[shape] = {{0.5, shape == 123 ? 9 : 1}, {}};
  const auto kept = learned_from(to_text(source, "test"), "test", 2);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->kernels.at("k").shapes.size(), kShapesToKeep);
  EXPECT_TRUE(kept->kernels.at("k").shapes.contains(123));
}

TEST(Learned, WhatIsOfSomethingElseIsNotUsed) {
  OneRun first(1000);
  first.launch(kAtHome / 2);
  const std::string text = to_text(first.keep(), "this machine");
  EXPECT_TRUE(learned_from(text, "this machine", 2));
  EXPECT_FALSE(learned_from(text, "another machine", 2));
  EXPECT_FALSE(learned_from(text, "this machine", 3));
}

TEST(Learned, DamagedTextsAreErrors) {
  OneRun first(1000);
  for (int i = 0; i < 6; ++i)
    first.launch(kAtHome / 2);
  const std::string text = to_text(first.keep(), "test");
  for (size_t length = 0; length + 2 < text.size(); ++length)
    EXPECT_FALSE(learned_from(text.substr(0, length), "test", 2)) << length;
  for (const auto& [what, instead] :
       std::vector<std::pair<std::string, std::string>>{{"\"samples\": 6", "\"samples\": -1"},
                                                        {"\"samples\": 6", "\"samples\": \"6\""},
                                                        {"\"lost_from\": 1.1", "\"lost_from\": 1e300"},
                                                        {"\"noted\": 6", "\"noted\": -6"},
                                                        {"\"regret\": 0.02", "\"regret\": 0"},
                                                        {"\"7\": [", "\"seven\": ["},
                                                        {"\"captured\": {", "\"captured\": 3, \"others\": {"},
                                                        {"\"kernels\": {", "\"colonels\": {"}}) {
    std::string damaged = text;
    const size_t at = damaged.find(what);
    ASSERT_NE(at, std::string::npos) << what << " in " << text;
    EXPECT_FALSE(learned_from(damaged.replace(at, what.size(), instead), "test", 2)) << instead;
  }
}

class LearnedFilesTest : public testing::Test {
protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "learned-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    OneRun run(1000);
    run.launch(kAtHome / 2);
    source_ = run.keep();
  }
  void TearDown() override {
    fs::permissions(folder_, fs::perms::owner_all);
    fs::remove_all(folder_);
  }
  LearnedFiles files(const std::string& setting = "setting") {
    return {folder_.string(), two_devices(), setting};
  }
  fs::path only_file() {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder_))
      found.push_back(entry.path());
    EXPECT_EQ(found.size(), 1);
    return found.empty() ? fs::path() : found.front();
  }

  fs::path folder_;
  LearnedSource source_;
};

TEST_F(LearnedFilesTest, GiveBackWhatTheyWereGiven) {
  EXPECT_FALSE(files().read(kContent));
  files().write(kContent, source_);
  const auto read = files().read(kContent);
  ASSERT_TRUE(read);
  EXPECT_EQ(to_text(*read, ""), to_text(source_, ""));
  EXPECT_EQ(fs::status(only_file()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(LearnedFilesTest, AreForOneSourceSettingAndMachine) {
  files().write(kContent, source_);
  EXPECT_FALSE(files().read("another source"));
  EXPECT_FALSE(files("another setting").read(kContent));
  std::vector<DeviceRates> calibrated_anew = two_devices();
  calibrated_anew[1].bytes_per_second *= 1.5;
  EXPECT_FALSE(LearnedFiles(folder_.string(), calibrated_anew, "setting").read(kContent));
}

TEST_F(LearnedFilesTest, DamagedOnesAreNotUsedAndAreReplaced) {
  files().write(kContent, source_);
  fs::resize_file(only_file(), fs::file_size(only_file()) / 2);
  testing::internal::CaptureStderr();
  EXPECT_FALSE(files().read(kContent));
  EXPECT_FALSE(files().read(kContent));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("what earlier runs have learned is not used"), std::string::npos) << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  files().write(kContent, source_);
  EXPECT_TRUE(files().read(kContent));
}

TEST_F(LearnedFilesTest, AFolderThatOthersMayWriteToIsNotUsed) {
  files().write(kContent, source_);
  fs::permissions(folder_, fs::perms::all);
  testing::internal::CaptureStderr();
  EXPECT_FALSE(files().read(kContent));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("may be written by others"), std::string::npos);
}

TEST_F(LearnedFilesTest, WhatCannotBeWrittenIsNoTrouble) {
  testing::internal::CaptureStderr();
  LearnedFiles(folder_.string() + "/a file/below", two_devices(), "").read(kContent);
  std::ofstream(folder_ / "a file") << "in the way";
  LearnedFiles(folder_.string() + "/a file/below", two_devices(), "").write(kContent, source_);
  LearnedFiles("", two_devices(), "").write(kContent, source_);
  EXPECT_FALSE(LearnedFiles("", two_devices(), "").read(kContent));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "at the usual level of the log";
}

}  // namespace
}  // namespace mkmd::timing
