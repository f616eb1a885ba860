// SPDX-License-Identifier: Apache-2.0
// Samples on their way from programs to the store.
#include "tests/profiler/store_fixture.hpp"

namespace mkmd::profiler {
namespace {

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

}  // namespace
}  // namespace mkmd::profiler
