// SPDX-License-Identifier: Apache-2.0
#include "tools/program_file.hpp"

#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mkmd::tool;
namespace fs = std::filesystem;

namespace {

class ProgramFileTest : public testing::Test {
protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "program-file-XXXXXX";
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string make(const std::string& name, const std::string& bytes) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }

  // This test's own file, changed.
  std::string changed(const std::string& name, const std::function<void(std::string&)>& change) {
    std::ifstream self("/proc/self/exe", std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(self), {}};
    change(bytes);
    return make(name, bytes);
  }

  static void forget_loader(std::string& bytes) {
    auto* const header = reinterpret_cast<Elf64_Ehdr*>(bytes.data());
    auto* const segments = reinterpret_cast<Elf64_Phdr*>(bytes.data() + header->e_phoff);
    for (unsigned i = 0; i < header->e_phnum; ++i) {
      if (segments[i].p_type == PT_INTERP) segments[i].p_type = PT_NULL;
    }
  }

  std::string folder_;
};

TEST_F(ProgramFileTest, SaysWhyTheLoaderPutsNoLibraryIntoAProgram) {
  EXPECT_EQ(why_no_library("/proc/self/exe"), "");
  EXPECT_EQ(why_no_library("sh"), "");
  EXPECT_EQ(why_no_library(changed("static", forget_loader)), "it is statically linked");
  EXPECT_EQ(why_no_library(changed("small", [](std::string& b) { b[EI_CLASS] = ELFCLASS32; })),
            "it is a 32-bit program");
  EXPECT_EQ(why_no_library(changed("other", [](std::string& b) { b[offsetof(Elf64_Ehdr, e_machine)] ^= 1; })),
            "it is for another processor");
}

TEST_F(ProgramFileTest, AScriptCountsAsItsInterpreter) {
  EXPECT_EQ(why_no_library(make("script", "#!/bin/sh -e\nexit 3\n")), "");
  const std::string interpreter = changed("static", forget_loader);
  EXPECT_EQ(why_no_library(make("odd", "#! " + interpreter + "\n")), "it is statically linked");
  const std::string itself = folder_ + "/itself";
  EXPECT_EQ(why_no_library(make("itself", "#!" + itself)), "");
}

TEST_F(ProgramFileTest, AProgramWithRightsOfItsOwn) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  const std::string path = changed("other", [](std::string&) {});
  ASSERT_EQ(chown(path.c_str(), 12345, getegid()), 0);
  EXPECT_EQ(why_no_library(path), "");
  ASSERT_EQ(chmod(path.c_str(), 04755), 0);
  EXPECT_EQ(why_no_library(path), "it runs with the rights of another user");
}

TEST_F(ProgramFileTest, WhatCannotBeReadIsLeftToTheKernel) {
  const std::string pipe = folder_ + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path :
       {pipe, folder_, folder_ + "/none", make("empty", ""), make("short", "\177ELF"),
        make("text", "exit 3\n"), std::string("no-such-program"), std::string()}) {
    EXPECT_EQ(why_no_library(path), "") << path;
    EXPECT_EQ(missing_interpreter(path), "") << path;
  }
}

TEST_F(ProgramFileTest, NamesAnInterpreterThatIsMissing) {
  EXPECT_EQ(missing_interpreter(make("good", "#!/bin/sh\n")), "");
  EXPECT_EQ(missing_interpreter(make("bad", "#!/no/such/interpreter -x\n")), "/no/such/interpreter");
}

}  // namespace
