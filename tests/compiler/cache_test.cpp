// SPDX-License-Identifier: Apache-2.0
// The on-disk cache of compiled programs: what may be reused, and what must not go wrong.
#include <nlohmann/json.hpp>

#include <atomic>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "common/hash.hpp"
#include "compiler/cache.hpp"
#include "compiler/client.hpp"
#include "compiler/module_file.hpp"
#include "kernel_files.hpp"
#include "own_entries.hpp"

namespace mkmd::compiler::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSource = "kernel void k(global int* p) { p[get_global_id(0)] = 1; }";

class Cache : public testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/mkmd-cache-XXXXXX";
    directory_ = mkdtemp(name);
    cache_ = directory_ + "/a/b/cache";
    // A link to the helper that can be taken away: what still answers is the cache.
    helper_ = directory_ + "/mkmd-kc";
    fs::create_symlink(MKMD_KC, helper_);
  }
  void TearDown() override { fs::remove_all(directory_); }

  Result<Module> compile(const std::string& source, const std::string& options = "") {
    Client::AskDevice ask;
    if (device_) {
      ask = [this](const std::string&, const std::vector<std::string>& names) {
        ++asked_;
        for (const std::string& name : names)
          device_->try_emplace(name);
        return Result<Macros>(*device_);
      };
    }
    return Client(helper_, cache_).compile(request_for(source, options), ask);
  }
  // Replaces the helper by one that only fails, without changing what the key says about it.
  bool cached(const std::string& source, const std::string& options = "") {
    const std::string marker = directory_ + "/asked";
    struct stat about {};
    stat(helper_.c_str(), &about);
    const std::string fake = directory_ + "/fake";
    std::string text = "#!/bin/sh\ntouch " + marker + "\nexit 9\n";
    text.resize(static_cast<size_t>(about.st_size), '\n');
    std::ofstream(fake) << text;
    chmod(fake.c_str(), 0700);
    timespec times[2] = {about.st_atim, about.st_mtim};
    utimensat(AT_FDCWD, fake.c_str(), times, 0);
    fs::remove(helper_);
    fs::create_symlink(fake, helper_);
    const bool ok = compile(source, options).ok();
    EXPECT_NE(ok, fs::exists(marker));
    fs::remove(marker);
    fs::remove(fake);
    fs::remove(helper_);
    fs::create_symlink(MKMD_KC, helper_);
    return ok;
  }
  std::vector<std::string> entries() {
    std::vector<std::string> all;
    if (fs::exists(cache_))
      for (const auto& e : fs::directory_iterator(cache_))
        all.push_back(e.path());
    return all;
  }

  std::string directory_, cache_, helper_;
  std::optional<Macros> device_;  // what it is known to predefine; none: there is nobody to ask
  int asked_ = 0;
};

TEST_F(Cache, AnswersTheSameRequestOnly) {
  Result<Module> first = compile(kSource);
  ASSERT_TRUE(first.ok()) << first.status().message();
  ASSERT_EQ(entries().size(), 1U);
  EXPECT_TRUE(cached(kSource));
  EXPECT_FALSE(cached(kSource, "-DX"));
  EXPECT_FALSE(cached(std::string(kSource) + " "));
  Result<Module> second = compile(kSource);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(first->sources, second->sources);
  EXPECT_EQ(nlohmann::json(first->kernels), nlohmann::json(second->kernels));
  Request other = request_for(kSource);
  other.extensions.pop_back();
  EXPECT_TRUE(Client(helper_, cache_).compile(other).ok());
  EXPECT_EQ(entries().size(), 2U);
}

TEST_F(Cache, DamagedEntriesAreCompiledAgain) {
  ASSERT_TRUE(compile(kSource).ok());
  const std::string path = entries().at(0);
  const std::string good = *read_file(path);
  std::vector<std::string> bad = {"",
                                  "x",
                                  good.substr(0, good.size() - 1),
                                  good.substr(0, 30),
                                  good + "x",
                                  std::string(good.size(), '\0')};
  for (size_t at :
       {size_t{0}, size_t{9}, size_t{17}, size_t{30}, size_t{60}, good.size() / 2, good.size() - 1}) {
    std::string flipped = good;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    bad.push_back(flipped);
  }
  for (const std::string& bytes : bad) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    EXPECT_FALSE(cached(kSource));
    ASSERT_TRUE(compile(kSource).ok());
    EXPECT_TRUE(cached(kSource)) << "and stored again";
  }
}

// Even if two requests had the same hash.
TEST_F(Cache, AnEntryOfAnotherRequestIsNotUsed) {
  ASSERT_TRUE(compile(kSource).ok());
  const std::string first = entries().at(0);
  ASSERT_TRUE(compile(kSource, "-DOTHER").ok());
  for (const std::string& path : entries())
    if (path != first) fs::copy_file(first, path, fs::copy_options::overwrite_existing);
  EXPECT_FALSE(cached(kSource, "-DOTHER"));
}

TEST_F(Cache, IncludedFilesAreCheckedAgain) {
  fs::create_directory(directory_ + "/include");
  const std::string header = directory_ + "/include/value.h";
  std::ofstream(header) << "#define VALUE 1\n";
  const std::string source =
      "#include \"value.h\"\nkernel void k(global int* p) { p[get_global_id(0)] = VALUE; }";
  const std::string options = "-I " + directory_ + "/include";
  Result<Module> first = compile(source, options);
  ASSERT_TRUE(first.ok()) << first.status().message();
  EXPECT_TRUE(cached(source, options));
  std::ofstream(header) << "#define VALUE 2\n";
  EXPECT_FALSE(cached(source, options));
  Result<Module> second = compile(source, options);
  ASSERT_TRUE(second.ok());
  EXPECT_NE(first->sources, second->sources);
  fs::remove(header);
  EXPECT_FALSE(cached(source, options));
  EXPECT_FALSE(compile(source, options).ok());
}

TEST_F(Cache, TheDevicesMacrosAreCheckedAgain) {
  const std::string source =
      "#if FAST || defined(__SLOW__)\nkernel void k(global int* p) { p[0] = __FAST__; }\n"
      "#else\nkernel void k(global int* p) { p[0] = 0; }\n#endif\n";
  const std::string options = "-DFAST=__FAST__";
  device_ = Macros{{"__FAST__", "2"}, {"__OTHER__", "1"}};
  Result<Module> first = compile(source, options);
  ASSERT_TRUE(first.ok()) << first.status().message();
  EXPECT_EQ(asked_, 2) << "what it is known to predefine, and whether __SLOW__ is";
  EXPECT_EQ(entries().size(), 1U);
  EXPECT_TRUE(cached(source, options));
  device_->at("__OTHER__") = "3";
  EXPECT_TRUE(cached(source, options)) << "the program does not use it";
  device_->at("__SLOW__") = "";
  EXPECT_FALSE(cached(source, options));
  device_->at("__SLOW__") = std::nullopt;
  device_->at("__FAST__") = "7";
  EXPECT_FALSE(cached(source, options));
  asked_ = 0;
  Result<Module> second = compile(source, options);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(asked_, 2) << "for the cache and for the helper, which knew all then";
  EXPECT_NE(first->sources, second->sources);
  EXPECT_TRUE(cached(source, options));
  device_.reset();
  EXPECT_FALSE(cached(source, options)) << "nobody can say whether it still holds";
}

// Other programs have asked about these names.
TEST_F(Cache, WhatTheDeviceLacksHidesNoOptionAndNoHeader) {
  device_ = Macros{{"STEP", std::nullopt}, {"M_PI_F", std::nullopt}, {"CLK_LOCAL_MEM_FENCE", std::nullopt}};
  const std::string source = "kernel void k(global float* p) {\n"
                             "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "  p[get_global_id(0)] = STEP * M_PI_F;\n}\n";
  const Result<Module> module = compile(source, "-DSTEP=5");
  ASSERT_TRUE(module.ok()) << module.status().message();
  EXPECT_NE(module->sources.at(0).find("= 5 * M_PI_F"), std::string::npos) << module->sources.at(0);
  EXPECT_EQ(asked_, 1);
}

TEST_F(Cache, RelativeIncludesBelongToTheirDirectory) {
  const std::string source =
      "#include \"here.h\"\nkernel void k(global int* p) { p[get_global_id(0)] = HERE; }";
  const fs::path before = fs::current_path();
  std::string modules[2];
  for (int i = 0; i < 2; ++i) {
    const std::string place = directory_ + "/place" + std::to_string(i);
    fs::create_directory(place);
    std::ofstream(place + "/here.h") << "#define HERE " << i + 5 << "\n";
    fs::current_path(place);
    Result<Module> m = compile(source, "-I.");
    ASSERT_TRUE(m.ok()) << m.status().message();
    EXPECT_TRUE(cached(source, "-I."));
    modules[i] = m->sources.at(0);
  }
  fs::current_path(before);
  EXPECT_NE(modules[0], modules[1]);
}

TEST_F(Cache, OnlyOursAreBelieved) {
  ASSERT_TRUE(compile(kSource).ok());
  const std::string path = entries().at(0);
  EXPECT_TRUE(cached(kSource));
  chmod(path.c_str(), 0606);
  EXPECT_FALSE(cached(kSource)) << "others may have written it";
  ASSERT_TRUE(compile(kSource).ok());
  EXPECT_TRUE(cached(kSource)) << "replaced by one of ours";
  expect_others_are_not_believed(cache_, path, directory_ + "/elsewhere", [&] { return cached(kSource); });
}

TEST_F(Cache, OthersCannotReadOrWriteIt) {
  const mode_t before = umask(0);
  ASSERT_TRUE(compile(kSource).ok());
  umask(before);
  const auto mode_of = [](const std::string& path) {
    struct stat about {};
    stat(path.c_str(), &about);
    return about.st_mode & 07777;
  };
  EXPECT_EQ(mode_of(cache_), 0700U);
  EXPECT_EQ(mode_of(entries().at(0)), 0600U);
}

class Trimmed : public Cache {
protected:
  // Entry i was used i seconds after a moment long ago.
  // Its name is one of those that have the others looked at.
  std::string entry(int i) const { return cache_ + "/0" + std::to_string(i) + ".mkmd"; }
  void put(int i) {
    ASSERT_TRUE(write_entry(entry(i), kBytes, UINT64_MAX).ok());
    const timespec used[2] = {{1'000'000 + i, 0}, {1'000'000 + i, 0}};
    utimensat(AT_FDCWD, entry(i).c_str(), used, 0);
  }
  const std::string kBytes = std::string(1000, 'x');
};

TEST_F(Trimmed, TheLongestUnusedGo) {
  for (int i = 0; i < 10; ++i)
    put(i);
  std::ofstream(cache_ + "/calibration.json") << std::string(1'000'000, ' ');  // is no entry
  ASSERT_TRUE(read_entry(entry(0)).ok());                                      // used just now
  ASSERT_TRUE(write_entry(entry(10), kBytes, 11'000).ok());
  EXPECT_EQ(entries().size(), 12U) << "as many as may be";
  ASSERT_TRUE(write_entry(entry(11), kBytes, 11'000).ok());
  EXPECT_EQ(entries().size(), 9U) << "12 become 8, which leaves room for a while";
  for (const int left : {0, 5, 6, 7, 8, 9, 10, 11})
    EXPECT_TRUE(fs::exists(entry(left))) << left;
  EXPECT_TRUE(fs::exists(cache_ + "/calibration.json"));
}

TEST_F(Trimmed, WhatAKilledHelperLeftGoesToo) {
  put(1);
  fs::rename(entry(1), entry(1) + ".4711.123");
  put(2);
  ASSERT_TRUE(write_entry(entry(3), kBytes, 2'500).ok());
  EXPECT_FALSE(fs::exists(entry(1) + ".4711.123"));
  EXPECT_TRUE(fs::exists(entry(3)));
}

TEST_F(Trimmed, ManyProcessesAtOnce) {
  std::vector<pid_t> children;
  for (int p = 0; p < 4; ++p) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    bool good = true;
    for (int i = 0; i < 200; ++i) {
      good = good && write_entry(entry(1000 * p + i), kBytes, 20'000).ok();
      const auto bytes = read_entry(entry(1000 * ((p + 1) % 4) + i));
      good = good && (!bytes || *bytes == kBytes);  // whole, or gone
    }
    _exit(good ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  ASSERT_TRUE(write_entry(entry(1), kBytes, 20'000).ok());
  EXPECT_LE(entries().size(), 20U);
  EXPECT_GE(entries().size(), 1U);
}

TEST_F(Cache, ErrorsAreNotKept) {
  EXPECT_FALSE(compile("kernel void k( {").ok());
  EXPECT_TRUE(entries().empty());
}

TEST_F(Cache, PlacesThatCannotBeWrittenDoNotMatter) {
  std::ofstream(directory_ + "/a") << "a file where a directory should be";
  EXPECT_TRUE(compile(kSource).ok());
  cache_ = "/proc/nowhere";
  EXPECT_TRUE(compile(kSource).ok());
  cache_ = "relative/without/end";
  EXPECT_TRUE(compile(kSource).ok());
  fs::remove_all("relative");
  cache_ = "";
  EXPECT_TRUE(compile(kSource).ok());
}

TEST_F(Cache, AFileSizeLimitDoesNotRaiseASignalInTheProgram) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer sizes files of its own in the helper";
#endif
  const pid_t child = fork();
  if (child == 0) {
    rlimit none{0, 0};
    setrlimit(RLIMIT_FSIZE, &none);
    _exit(compile(kSource).ok() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_FALSE(cached(kSource));
}

TEST_F(Cache, SeveralProcessesAndThreadsAtOnce) {
  std::vector<pid_t> children;
  for (int p = 0; p < 3; ++p) {
    const pid_t child = fork();
    if (child == 0) {
      std::atomic<int> failed{0};
      std::vector<std::thread> threads;
      for (int t = 0; t < 3; ++t)
        threads.emplace_back([&, t] {
          for (int i = 0; i < 3; ++i)
            if (!compile(kSource, "-DN=" + std::to_string((t + i) % 3)).ok()) ++failed;
        });
      for (std::thread& t : threads)
        t.join();
      _exit(failed == 0 ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(entries().size(), 3U) << "and no temporary files";
  for (const std::string& path : entries())
    EXPECT_TRUE(ModuleFile::decode(*read_file(path)).ok());
}

TEST(Hash, DependsOnEveryByteAndTheLength) {
  std::string text(1000, 'a');
  const Hash whole = hash_of(text);
  for (size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] = 'b';
    EXPECT_NE(hash_of(other), whole);
    EXPECT_NE(hash_of(text.substr(0, i)), whole);
  }
  EXPECT_NE(hash_of(std::string(8, '\0')), hash_of(std::string(9, '\0')));
  EXPECT_EQ(hex(whole).size(), 32U);
}

}  // namespace
}  // namespace mkmd::compiler::test
