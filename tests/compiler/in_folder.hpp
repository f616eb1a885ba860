// SPDX-License-Identifier: Apache-2.0
// Tests of files that programs include: each has a new folder, which is the current one.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

namespace mkmd::compiler::test {

class InFolder : public testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/mkmd-files-XXXXXX";  // without "-include", which is an option
    folder_ = mkdtemp(name);
    before_ = std::filesystem::current_path();
    std::filesystem::current_path(folder_);
  }
  void TearDown() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }

  std::string folder_;

private:
  std::filesystem::path before_;
};

}  // namespace mkmd::compiler::test
