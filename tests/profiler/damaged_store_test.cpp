// SPDX-License-Identifier: Apache-2.0
// Stores that are damaged, of other versions, or not ours.
#include "tests/profiler/store_fixture.hpp"

namespace mkmd::profiler {
namespace {

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

}  // namespace
}  // namespace mkmd::profiler
