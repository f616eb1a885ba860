// SPDX-License-Identifier: Apache-2.0
// A spool and a store in a folder of their own.
#pragma once

#include "profiler/learn.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mkmd::profiler {

namespace fs = std::filesystem;
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

}  // namespace mkmd::profiler
