// SPDX-License-Identifier: Apache-2.0
#include "common/files.hpp"
#include "common/log.hpp"

#include <csignal>
#include <filesystem>
#include <functional>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mkmd;
using testing::HasSubstr;

namespace {

class FilesTest : public testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/mkmd-files-XXXXXX";
    folder_ = mkdtemp(name);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // In a forked child: a signal ends only that.
  static bool survives(const std::function<bool()>& body) {
    const pid_t child = fork();
    if (child == 0) _exit(body() ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  std::string folder_;
};

TEST_F(FilesTest, WhatIsWrittenIsRead) {
  const std::string path = folder_ + "/inner/file";
  ASSERT_TRUE(std::filesystem::create_directory(folder_ + "/inner"));
  for (const std::string& bytes : {std::string("one"), std::string(300000, '\0'), std::string()}) {
    for (const Sync sync : {Sync::no, Sync::yes}) {
      ASSERT_TRUE(replace_file(path, bytes, sync).ok());
      EXPECT_EQ(*read_file(path), bytes);
    }
  }
  const auto entries = std::filesystem::directory_iterator(folder_ + "/inner");
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);  // no temporary file is left
}

TEST_F(FilesTest, OthersMayReadWhatTheyMayReadOfThisProcess) {
  for (const mode_t hidden : {022, 077}) {
    const mode_t before = umask(hidden);
    ASSERT_TRUE(replace_file(folder_ + "/file", "x").ok());
    umask(before);
    struct stat about {};
    ASSERT_EQ(stat((folder_ + "/file").c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777, 0666 & ~hidden);
  }
}

TEST_F(FilesTest, NothingInTheWayMakesItWait) {
  const std::string path = folder_ + "/pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(read_file(path).status().message(), HasSubstr("is not a file"));
  EXPECT_THAT(read_file(folder_).status().message(), HasSubstr("is not a file"));
  EXPECT_THAT(read_file(folder_ + "/none").status().message(), HasSubstr("No such file"));
  EXPECT_THAT(replace_file(folder_ + "/pipe/below", "x").message(), HasSubstr("Not a directory"));
  EXPECT_THAT(replace_file(folder_ + "/no/file", "x").message(), HasSubstr("No such file"));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/no"));
  EXPECT_TRUE(replace_file(path, "x").ok());
  EXPECT_THAT(read_file(path, 0).status().message(), HasSubstr("has 1 bytes, more than 0"));
}

TEST_F(FilesTest, ALimitOnFileSizesIsAnError) {
  const std::string path = folder_ + "/file";
  EXPECT_TRUE(survives([&] {
    const rlimit small{10, 10};
    setrlimit(RLIMIT_FSIZE, &small);
    const Status status = replace_file(path, std::string(100, 'x'));
    return status.message().find("File too large") != std::string::npos;
  }));
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(FilesTest, ALogNobodyReadsEndsNothing) {
  EXPECT_TRUE(survives([] {
    int ends[2];
    if (pipe(ends) != 0) return false;
    close(ends[0]);
    dup2(ends[1], STDERR_FILENO);
    log(LogLevel::error, "nobody reads this");
    sigset_t pending;
    sigpending(&pending);
    return sigismember(&pending, SIGPIPE) == 0;
  }));
}

}  // namespace
