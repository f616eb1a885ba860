// SPDX-License-Identifier: Apache-2.0
#include "profiler/learn.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace mkmd::profiler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class StoreTest : public testing::Test {
protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "mkmd-store-" + std::to_string(getpid());
    fs::remove_all(folder_);
    places_ = {folder_ + "/spool", folder_ + "/samples.db", folder_ + "/models.json"};
    fs::create_directories(places_.spool);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static Record record(int i) {
    Record r;
    r.key = {"kernel", "content", "device|1|2"};
    r.global = {static_cast<uint64_t>(64 * i), 1, 1};
    r.scalars = {i, -1, INT64_MIN, INT64_MAX};
    r.sample.work.local = {64, 1, 1};
    r.sample.work.items = 64.0 * i;
    r.sample.work.operations = 640.0 * i;
    r.sample.work.bytes = 512.0 * i;
    r.sample.work.footprint = 256.0 * i;
    r.sample.work.crowding = 2;
    r.sample.work.lines = 128.0 * i;
    r.sample.work.group_reach = 4096;
    r.sample.work.group_crowding = 1.5;
    r.sample.input = UINT64_MAX - static_cast<uint64_t>(i);
    r.sample.seconds = 1e-6 * i;
    return r;
  }
  // As left by a process that has ended: no process has this number.
  std::string spool_file(const std::string& rest = "1.1") const {
    return places_.spool + "/999999999-" + rest + ".spool";
  }
  int samples() {
    std::string notice;
    auto store = Store::open(places_.store, Whose::ours, notice);
    if (!store) return -1;
    const auto counts = (*store)->counts();
    int sum = 0;
    for (const auto& [key, count] : *counts)
      sum += count;
    return sum;
  }

  Result<Learned> learn(const Places& places) {
    notices_.clear();
    return profiler::learn(places, notices_);
  }

  std::string folder_;
  Places places_;
  std::vector<std::string> notices_;  // of the last learn()
};

TEST_F(StoreTest, RecordsSurviveTheSpool) {
  const std::string line = to_line(record(7));
  Record again;
  ASSERT_TRUE(from_line(std::string_view(line).substr(1, line.size() - 2), again));
  EXPECT_EQ(to_line(again), line);
  EXPECT_EQ(again.scalars, record(7).scalars);
  EXPECT_EQ(again.sample.input, record(7).sample.input);
}

TEST_F(StoreTest, RecordsNeedNotHaveWhatCameLater) {
  const auto line = [](const std::string& operations, const char* checksum) {
    return R"({"aligned":true,"alone":true,"bytes":512.0,"content":"content","device":"device","dim":1,)"
           R"("footprint":256.0,"global":[64,1,1],"input":7,"items":64.0,"kernel":"old","local":[16,1,1],)"
           R"("operations":)" +
           operations + R"(,"scalars":[],"seconds":0.001,"v":1} )" + checksum;
  };
  Record old;
  ASSERT_TRUE(from_line(line("640.0", "1d31b232f0ba94c7"), old));
  models::Work work;  // what they lack stays as it is here
  work.local = {16, 1, 1};
  work.items = 64;
  work.operations = 640;
  work.bytes = 512;
  work.footprint = 256;
  EXPECT_EQ(old.sample.work, work);
  EXPECT_FALSE(from_line(line("-640.0", "506f579aeaa9360b"), old));
}

TEST_F(StoreTest, RecordsSurviveTheStore) {
  std::ofstream(spool_file(), std::ios::binary) << to_line(record(7));
  ASSERT_TRUE(learn(places_));
  std::string notice;
  auto store = Store::open(places_.store, Whose::ours, notice);
  ASSERT_TRUE(store) << store.status().message();
  const auto samples = (*store)->samples(record(7).key);
  ASSERT_TRUE(samples) << samples.status().message();
  ASSERT_EQ(samples->size(), 1U);
  EXPECT_EQ(samples->front().work, record(7).sample.work);
  EXPECT_EQ(samples->front().input, record(7).sample.input);
  EXPECT_EQ(samples->front().seconds, record(7).sample.seconds);
  EXPECT_EQ(samples->front().alone, record(7).sample.alone);
}

TEST_F(StoreTest, ALineCutAnywhereIsLeftOutAndTheOthersStay) {
  const std::string line = to_line(record(2));
  for (size_t length = 0; length < line.size(); ++length) {
    const std::string file = spool_file();
    // A write cut short by a full disk, then another process's record in the same file.
    std::ofstream(file, std::ios::binary)
        << to_line(record(1)) << line.substr(0, length) << to_line(record(3));
    uint64_t offset = 0;
    std::vector<Record> records;
    int damaged = 0;
    ASSERT_TRUE(read_spool(file, Whose::ours, offset, records, damaged));
    const size_t whole = length == line.size() - 1 ? 3 : 2;  // only its newline was missing
    ASSERT_EQ(records.size(), whole) << "cut at " << length;
    EXPECT_EQ(records.back().sample.seconds, 3e-6);
    EXPECT_LE(damaged, 1);
  }
}

TEST_F(StoreTest, ALineInTheMakingIsReadOnceItIsWhole) {
  const std::string file = spool_file();
  const std::string line = to_line(record(2));
  std::ofstream(file, std::ios::binary) << to_line(record(1)) << line.substr(0, 30);
  uint64_t offset = 0;
  std::vector<Record> records;
  int damaged = 0;
  ASSERT_TRUE(read_spool(file, Whose::ours, offset, records, damaged));
  EXPECT_EQ(records.size(), 1u);
  std::ofstream(file, std::ios::binary | std::ios::app) << line.substr(30);
  ASSERT_TRUE(read_spool(file, Whose::ours, offset, records, damaged));
  EXPECT_EQ(records.size(), 2u);
  EXPECT_EQ(damaged, 0);
}

TEST_F(StoreTest, EverySampleArrivesOnce) {
  const std::string running = places_.spool + "/" + std::to_string(getpid()) + "-1.1.spool";
  for (const std::string& file : {spool_file(), running})
    std::ofstream(file, std::ios::binary) << to_line(record(1)) << to_line(record(2));
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(learn(places_));
    EXPECT_EQ(samples(), 4);
  }
  EXPECT_FALSE(fs::exists(spool_file())) << "its process has ended";
  EXPECT_TRUE(fs::exists(running)) << "its process may write more";
  std::ofstream(running, std::ios::binary | std::ios::app) << to_line(record(3));
  ASSERT_TRUE(learn(places_));
  EXPECT_EQ(samples(), 5);
}

TEST_F(StoreTest, ProcessesMayWriteAndImportAtOnce) {
  constexpr int kProcesses = 4;
  constexpr int kRecords = 50;
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    const pid_t child = fork();
    if (child == 0) {
      Spool spool(places_.spool);
      bool good = true;
      for (int i = 1; i <= kRecords; ++i)
        good = spool.append(record(i)).ok() && good && (i % 25 != 0 || learn(places_).ok());
      _exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  ASSERT_TRUE(learn(places_));
  EXPECT_EQ(samples(), kProcesses * kRecords);
}

TEST_F(StoreTest, ProcessesMayBeginTheStoreAtOnce) {
  constexpr int kRounds = 300;
  constexpr int kProcesses = 4;
  for (int round = 0; round < kRounds; ++round) {
    const std::string file = folder_ + "/" + std::to_string(round) + ".db";
    std::vector<pid_t> children;
    for (int p = 0; p < kProcesses; ++p) {
      children.push_back(fork());
      if (children.back() == 0) {
        std::string notice;
        _exit(Store::open(file, Whose::ours, notice).ok() && notice.empty() ? 0 : 1);
      }
    }
    for (const pid_t child : children) {
      int status = 0;
      waitpid(child, &status, 0);
      ASSERT_EQ(status, 0);
    }
  }
}

TEST_F(StoreTest, GarbageIsMovedAsideAndKept) {
  const std::string garbage(100000, 'x');
  std::ofstream(places_.store) << garbage;
  std::ofstream(spool_file(), std::ios::binary) << to_line(record(1));
  const auto learned = learn(places_);
  ASSERT_TRUE(learned) << learned.status().message();
  EXPECT_THAT(notices_, ElementsAre(HasSubstr(places_.store + ".damaged-")));
  EXPECT_EQ(samples(), 1);
  int kept = 0;
  for (const auto& entry : fs::directory_iterator(folder_))
    kept +=
        entry.path().string().find(".damaged-") != std::string::npos && entry.file_size() == garbage.size();
  EXPECT_EQ(kept, 1);
}

TEST_F(StoreTest, AStoreDamagedInsideIsMovedAside) {
  const std::string running = places_.spool + "/" + std::to_string(getpid()) + "-1.1.spool";
  std::ofstream(running, std::ios::binary) << to_line(record(1)) << to_line(record(2));
  std::ofstream out(spool_file(), std::ios::binary);
  for (int i = 1; i < 500; ++i)
    out << to_line(record(i));
  out.close();
  ASSERT_TRUE(learn(places_));
  ASSERT_GT(fs::file_size(places_.store), 30000U);
  std::fstream store(places_.store, std::ios::binary | std::ios::in | std::ios::out);
  store.seekp(8192) << std::string(12000, '\xff');
  store.close();
  const auto learned = learn(places_);
  ASSERT_TRUE(learned) << learned.status().message();
  EXPECT_THAT(notices_, ElementsAre(HasSubstr(places_.store + ".damaged-")));
  EXPECT_EQ(samples(), 2) << "those of spools that were still there";
}

TEST_F(StoreTest, WhatKeepsAStoreFromBeingMadeIsSaid) {
  std::ofstream(folder_ + "/file") << "in the way";
  std::string notice;
  const std::string below = folder_ + "/file/deeper/samples.db";
  EXPECT_EQ(Store::open(below, Whose::ours, notice).status().message(),
            "cannot open " + folder_ + "/file/deeper: Not a directory");
  fs::create_directories(places_.store);
  EXPECT_EQ(Store::open(places_.store, Whose::ours, notice).status().message(),
            "cannot open " + places_.store + ": Is a directory");
}

TEST_F(StoreTest, AnotherProgramsDatabaseIsNotTouched) {
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(places_.store.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)", nullptr, nullptr,
                         nullptr),
            SQLITE_OK);
  sqlite3_close(other);
  const auto learned = learn(places_);
  ASSERT_TRUE(learned) << learned.status().message();
  EXPECT_THAT(notices_, ElementsAre(HasSubstr("damaged-")));
}

TEST_F(StoreTest, ANewerStoreIsLeftAsItIs) {
  ASSERT_TRUE(learn(places_));
  sqlite3* store = nullptr;
  ASSERT_EQ(sqlite3_open(places_.store.c_str(), &store), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(store, "PRAGMA user_version = 99", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(store);
  const auto size = fs::file_size(places_.store);
  const auto time = fs::last_write_time(places_.store);
  std::ofstream(spool_file(), std::ios::binary) << to_line(record(1));
  const auto learned = learn(places_);
  ASSERT_FALSE(learned);
  EXPECT_THAT(learned.status().message(), HasSubstr("newer mkmd (store version 99"));
  EXPECT_TRUE(fs::exists(spool_file())) << "the samples wait";
  EXPECT_EQ(fs::file_size(places_.store), size);
  EXPECT_EQ(fs::last_write_time(places_.store), time);
}

class OlderStoreTest : public StoreTest, public testing::WithParamInterface<int> {};

TEST_P(OlderStoreTest, IsKeptAside) {
  const std::string mark = "PRAGMA user_version = " + std::to_string(GetParam());
  std::ofstream(spool_file("1.1"), std::ios::binary) << to_line(record(1));
  ASSERT_TRUE(learn(places_));
  sqlite3* store = nullptr;
  ASSERT_EQ(sqlite3_open(places_.store.c_str(), &store), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(store, mark.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(store);
  std::string notice;
  EXPECT_THAT(Store::open(places_.store, Whose::named, notice).status().message(),
              HasSubstr("an older mkmd"));
  std::ofstream(spool_file("2.2"), std::ios::binary) << to_line(record(1)) << to_line(record(2));
  ASSERT_TRUE(learn(places_));
  EXPECT_THAT(notices_,
              ElementsAre(AllOf(HasSubstr("an older mkmd"), HasSubstr("it is kept as " + places_.store))));
  EXPECT_EQ(samples(), 2);
}

INSTANTIATE_TEST_SUITE_P(Versions, OlderStoreTest, testing::Values(1, 2, 3));

TEST_F(StoreTest, ASpoolThatCannotBeWrittenSaysSoOnce) {
  std::ofstream(folder_ + "/file") << "in the way";
  Spool spool(folder_ + "/file/spool");
  EXPECT_FALSE(spool.try_out());
  EXPECT_EQ(spool.append(record(1)).message(),
            "samples cannot be recorded: cannot open " + folder_ +
                "/file/spool: Not a directory; the program goes on, nothing more is recorded");
  EXPECT_TRUE(spool.append(record(1)).ok());
}

TEST_F(StoreTest, TryingASpoolLeavesNothing) {
  EXPECT_TRUE(Spool(places_.spool).try_out());
  EXPECT_TRUE(fs::is_empty(places_.spool));
}

TEST_F(StoreTest, WhatIsNoFileInTheSpoolIsLeftAlone) {
  fs::create_directories(spool_file("1.1"));
  ASSERT_EQ(mkfifo(spool_file("2.2").c_str(), 0600), 0);
  std::ofstream(spool_file("3.3"), std::ios::binary) << to_line(record(1));
  const auto learned = learn(places_);
  ASSERT_TRUE(learned) << learned.status().message();
  EXPECT_EQ(learned->samples, 1);
  EXPECT_TRUE(fs::exists(spool_file("1.1")) && fs::exists(spool_file("2.2")));
  uint64_t offset = 0;
  std::vector<Record> records;
  int damaged = 0;
  EXPECT_THAT(read_spool(folder_, Whose::named, offset, records, damaged).status().message(),
              HasSubstr(folder_));
}

TEST_F(StoreTest, AHugeSpoolIsLeftOutAndTheOthersAreTaken) {
  std::ofstream(spool_file("1.1"), std::ios::binary) << to_line(record(1));
  fs::resize_file(spool_file("1.1"), uint64_t{20} << 30);  // without a block on the disk
  std::ofstream(spool_file("2.2"), std::ios::binary) << to_line(record(2));
  const auto learned = learn(places_);
  ASSERT_TRUE(learned) << learned.status().message();
  EXPECT_EQ(learned->samples, 1);
  EXPECT_THAT(notices_,
              ElementsAre(HasSubstr("has 21474836480 bytes: no program writes so many; it is kept as")));
  ASSERT_TRUE(learn(places_));
  EXPECT_THAT(notices_, ElementsAre()) << "once";
}

TEST_F(StoreTest, ALineOfAnyLengthTakesBoundedMemory) {
  const std::string running = places_.spool + "/" + std::to_string(getpid()) + "-1.1.spool";
  std::ofstream(running, std::ios::binary)
      << to_line(record(1)) << std::string(100 << 20, 'x') << to_line(record(2));
  uint64_t offset = 0;
  std::vector<Record> records;
  int damaged = 0;
  ASSERT_TRUE(read_spool(running, Whose::ours, offset, records, damaged));
  EXPECT_EQ(records.size(), 2U);
  EXPECT_EQ(damaged, 1);
  EXPECT_EQ(offset, fs::file_size(running));
}

TEST_F(StoreTest, ASpoolIsReadInParts) {
  std::ofstream out(spool_file(), std::ios::binary);
  for (int i = 1; i <= 25; ++i)
    out << to_line(record(i));
  out.close();
  uint64_t offset = 0;
  int damaged = 0;
  std::vector<size_t> parts;
  for (bool more = true; more;) {
    std::vector<Record> records;
    const auto read = read_spool(spool_file(), Whose::ours, offset, records, damaged, 10);
    ASSERT_TRUE(read);
    more = *read;
    parts.push_back(records.size());
  }
  EXPECT_THAT(parts, ElementsAre(10, 10, 5));
  EXPECT_EQ(damaged, 0);
}

TEST_F(StoreTest, AStoreOfOtherColumnsIsMovedAside) {
  for (const int version : {0, 4}) {
    for (const char* tables :
         {"CREATE TABLE samples (x); CREATE TABLE spools (name, consumed)", "CREATE TABLE other (x)",
          "CREATE TABLE other (x); CREATE VIEW samples AS SELECT * FROM other"}) {
      fs::remove(places_.store);
      sqlite3* store = nullptr;
      ASSERT_EQ(sqlite3_open(places_.store.c_str(), &store), SQLITE_OK);
      const std::string sql =
          std::string(tables) +
          "; PRAGMA application_id = 1296780612; PRAGMA user_version = " + std::to_string(version);
      ASSERT_EQ(sqlite3_exec(store, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
      sqlite3_close(store);
      std::ofstream(spool_file(), std::ios::binary) << to_line(record(1));
      const auto learned = learn(places_);
      ASSERT_TRUE(learned) << learned.status().message() << " " << tables << " " << version;
      if (std::string(tables) == "CREATE TABLE other (x)" && version == 0) continue;  // ours are added
      EXPECT_THAT(notices_, ElementsAre(HasSubstr("other columns"))) << tables << " " << version;
      EXPECT_EQ(samples(), 1);
    }
  }
}

TEST_F(StoreTest, NothingInAStoreIsExecuted) {
  ASSERT_TRUE(learn(places_));
  sqlite3* store = nullptr;
  ASSERT_EQ(sqlite3_open(places_.store.c_str(), &store), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(store, "CREATE TRIGGER t AFTER INSERT ON samples BEGIN DELETE FROM samples; END",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(store);
  std::ofstream(spool_file(), std::ios::binary) << to_line(record(1));
  ASSERT_TRUE(learn(places_));
  EXPECT_EQ(samples(), 1);
}

TEST_F(StoreTest, FilesOthersMayHaveWrittenAreNotBelieved) {
  std::ofstream(spool_file("1.1"), std::ios::binary) << to_line(record(1));
  ASSERT_TRUE(learn(places_));
  chmod(places_.store.c_str(), 0666);
  std::ofstream(places_.models) << "{}";
  chmod(places_.models.c_str(), 0666);
  for (const char* name : {"2.2", "3.3"})
    std::ofstream(spool_file(name), std::ios::binary) << to_line(record(2));
  chmod(spool_file("2.2").c_str(), 0666);
  const auto learned = learn(places_);
  ASSERT_TRUE(learned) << learned.status().message();
  EXPECT_EQ(learned->samples, 1);
  EXPECT_THAT(notices_,
              ElementsAre(HasSubstr("samples.db may be written by others"), HasSubstr("2.2.spool may be"),
                          HasSubstr("models.json may be written by others")));
  EXPECT_EQ(samples(), 1) << "those of the old store are kept aside";
  chmod(folder_.c_str(), 0777);
  EXPECT_THAT(learn(places_).status().message(), HasSubstr(folder_ + " may be written by others"));
  EXPECT_EQ(Spool(folder_).append(record(1)).code(), Status::kInternal);
  std::string notice;
  EXPECT_TRUE(Store::open(places_.store, Whose::named, notice).ok()) << "a user may name it";
}

TEST_F(StoreTest, OthersCannotReadOrWriteWhatIsKept) {
  const mode_t before = umask(0);
  const std::string data = folder_ + "/data";
  const Places places{data + "/spool", data + "/samples.db", data + "/models.json"};
  Spool spool(places.spool);
  for (int i = 1; i < 20; ++i)
    ASSERT_TRUE(spool.append(record(i)).ok());
  ASSERT_TRUE(learn(places));
  umask(before);
  const auto mode_of = [](const std::string& path) {
    return static_cast<int>(fs::status(path).permissions());
  };
  EXPECT_EQ(mode_of(data), 0700);
  EXPECT_EQ(mode_of(places.spool), 0700);
  EXPECT_EQ(mode_of(places.store), 0600);
  EXPECT_EQ(mode_of(places.models), 0600);
  EXPECT_EQ(mode_of(spool.file()), 0600);
}

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

TEST_F(StoreTest, PlotsPredictedAgainstMeasured) {
  std::ofstream out(spool_file(), std::ios::binary);
  for (int i = 1; i < 20; ++i)
    out << to_line(record(i));
  out.close();
  const auto learned = learn(places_);
  std::string notice;
  auto store = Store::open(places_.store, Whose::ours, notice);
  ASSERT_TRUE(learned && store);
  const std::string file = folder_ + "/plot.svg";
  ASSERT_TRUE(plot(file, **store, learned.value().entries));
  std::ifstream in(file);
  const std::string svg((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  size_t dots = 0;
  for (size_t at = 0; (at = svg.find("<circle", at)) != std::string::npos; ++at)
    ++dots;
  EXPECT_EQ(dots, 19u + 1) << "one each, and one in the legend";
  EXPECT_THAT(svg, HasSubstr("kernel on device, held-out error"));
  EXPECT_FALSE(plot("/dev/null/plot.svg", **store, learned.value().entries));
  EXPECT_THAT(plot(file, **store, {}).message(), HasSubstr("no samples"));
}

}  // namespace
}  // namespace mkmd::profiler
