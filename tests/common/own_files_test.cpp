// SPDX-License-Identifier: Apache-2.0
#include "common/own_files.hpp"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mkmd;
using testing::HasSubstr;

namespace {

class OwnFilesTest : public testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/mkmd-own-files-XXXXXX";
    folder_ = mkdtemp(name);
    file_ = folder_ + "/file";
    std::ofstream(file_) << "believed";
    chmod(file_.c_str(), 0600);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static mode_t mode_of(const std::string& path) {
    struct stat about {};
    return lstat(path.c_str(), &about) == 0 ? about.st_mode & 07777 : 0;
  }
  void expect_ignored(const std::string& path, const std::string& why) {
    const auto text = read_own_file(path);
    ASSERT_FALSE(text) << path;
    EXPECT_EQ(text.status().code(), kNotOurs) << text.status().message();
    EXPECT_THAT(text.status().message(), HasSubstr(why));
  }

  std::string folder_, file_;
};

TEST_F(OwnFilesTest, WhatIsOursIsReadAndReplaced) {
  EXPECT_EQ(*read_own_file(file_), "believed");
  ASSERT_TRUE(replace_own_file(file_, "new").ok());
  EXPECT_EQ(*read_own_file(file_), "new");
  EXPECT_EQ(read_own_file(folder_ + "/none").status().code(), kMissing);
  EXPECT_EQ(read_own_file(folder_ + "/no/folder").status().code(), kMissing);
  EXPECT_EQ(read_own_file("").status().code(), kMissing);
  EXPECT_FALSE(replace_own_file("", "x").ok());
}

TEST_F(OwnFilesTest, FoldersAndFilesAreOursAloneWhateverTheUmask) {
  for (const mode_t hidden : {0, 022, 0777}) {
    const std::string base = folder_ + "/" + std::to_string(hidden);
    const mode_t before = umask(hidden);
    const Status replaced = replace_own_file(base + "/new/folder/file", "x");
    const bool opened = open_own_file(base + "/other/file", O_WRONLY | O_APPEND | O_CREAT).ok();
    umask(before);
    ASSERT_TRUE(replaced.ok()) << replaced.message();
    ASSERT_TRUE(opened);
    for (const char* made : {"", "/new", "/new/folder", "/other"})
      EXPECT_EQ(mode_of(base + made), 0700U) << made;
    EXPECT_EQ(mode_of(base + "/new/folder/file"), 0600U);
    EXPECT_EQ(mode_of(base + "/other/file"), 0600U);
  }
}

TEST_F(OwnFilesTest, WhatOthersMayWriteIsNotBelieved) {
  for (const mode_t mode : {0620, 0602, 0666}) {
    chmod(file_.c_str(), mode);
    expect_ignored(file_, "may be written by others");
  }
  chmod(file_.c_str(), 0644);
  EXPECT_TRUE(read_own_file(file_));
  for (const mode_t mode : {0720, 0702, 01777}) {
    chmod(folder_.c_str(), mode);
    expect_ignored(file_, folder_ + " may be written by others");
    EXPECT_EQ(replace_own_file(file_, "new").code(), kNotOurs);
    EXPECT_EQ(open_own_file(folder_ + "/new", O_WRONLY | O_CREAT).status().code(), kNotOurs);
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/new"));
  chmod(folder_.c_str(), 0755);
  EXPECT_EQ(*read_own_file(file_), "believed");
}

TEST_F(OwnFilesTest, WhatBelongsToOthersIsNotBelieved) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  ASSERT_EQ(chown(file_.c_str(), 65534, 65534), 0);
  expect_ignored(file_, "belongs to another user");
  ASSERT_EQ(chown(file_.c_str(), 0, 0), 0);
  ASSERT_EQ(chown(folder_.c_str(), 65534, 65534), 0);
  expect_ignored(file_, folder_ + " belongs to another user");
  EXPECT_EQ(replace_own_file(file_, "new").code(), kNotOurs);
}

TEST_F(OwnFilesTest, LinksAreNotFollowed) {
  const std::string real = folder_ + "/real";
  ASSERT_TRUE(replace_own_file(real + "/file", "elsewhere").ok());
  std::filesystem::create_symlink(real, folder_ + "/link");
  std::filesystem::create_symlink(real + "/file", folder_ + "/link-to-file");
  expect_ignored(folder_ + "/link/file", folder_ + "/link is a link");
  expect_ignored(folder_ + "/link-to-file", "is a link");
  EXPECT_EQ(open_own_folder(folder_ + "/link/").status().code(), kNotOurs);
  EXPECT_EQ(open_own_file(folder_ + "/link-to-file", O_WRONLY | O_APPEND | O_CREAT).status().code(),
            kNotOurs);
  EXPECT_EQ(replace_own_file(folder_ + "/link/file", "new").code(), kNotOurs);
  ASSERT_TRUE(replace_own_file(folder_ + "/link-to-file", "in its place").ok());
  EXPECT_EQ(*read_own_file(real + "/file"), "elsewhere");
  EXPECT_EQ(*read_own_file(folder_ + "/link-to-file"), "in its place");
}

TEST_F(OwnFilesTest, OneLineSaysWhatIsIgnored) {
  chmod(folder_.c_str(), 0777);
  testing::internal::CaptureStderr();
  for (const char* name : {"/file", "/file", "/other"})
    EXPECT_FALSE(read_own_file(folder_ + name));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "mkmd: " + folder_ +
                " may be written by others (`chmod go-w` ends that); what is there is ignored\n");
}

TEST_F(OwnFilesTest, WhatAUserNamesIsReadWhoeverOwnsIt) {
  chmod(folder_.c_str(), 0777);
  chmod(file_.c_str(), 0666);
  EXPECT_FALSE(open_to_read(file_, Whose::ours));
  EXPECT_TRUE(open_to_read(file_, Whose::named));
  EXPECT_EQ(open_to_read(folder_ + "/none", Whose::named).status().code(), kMissing);
}

// As an attacker would place one where a user will name a file.
TEST_F(OwnFilesTest, OnlyOnesOwnLinksSayWhereANamedFileIsWritten) {
  const std::string target = folder_ + "/target", link = folder_ + "/link";
  std::ofstream(target) << "kept";
  std::filesystem::create_symlink(target, link);
  Descriptor followed(open_named_output(link, O_WRONLY));
  EXPECT_GE(followed.get(), 0);
  EXPECT_GE(Descriptor(open_named_output("/dev/stdout", O_WRONLY)).get(), 0);
  EXPECT_GE(Descriptor(open_named_output(folder_ + "/new", O_WRONLY)).get(), 0);
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a link away";
  ASSERT_EQ(lchown(link.c_str(), 65534, 65534), 0);
  EXPECT_EQ(Descriptor(open_named_output(link, O_WRONLY)).get(), -1);
  EXPECT_EQ(errno, EACCES);
}

}  // namespace
