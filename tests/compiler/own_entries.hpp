// SPDX-License-Identifier: Apache-2.0
// What every kind of entry of the compiler's cache must pass: only those are believed that no other user can
// have written.
#pragma once

#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace mkmd::compiler::test {

// `believed` says whether the entry at `path` in the folder `cache` is. It is at the beginning. `aside`: a
// free name outside the cache.
inline void expect_others_are_not_believed(const std::string& cache, const std::string& path,
                                           const std::string& aside, const std::function<bool()>& believed) {
  chmod(cache.c_str(), 0777);
  EXPECT_FALSE(believed()) << "others may have put it there";
  chmod(cache.c_str(), 0700);
  EXPECT_TRUE(believed());
  std::filesystem::rename(path, aside);
  std::filesystem::create_symlink(aside, path);
  EXPECT_FALSE(believed()) << "a link";
  std::filesystem::rename(aside, path);
  EXPECT_TRUE(believed());
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  ASSERT_EQ(chown(path.c_str(), 65534, 65534), 0);
  EXPECT_FALSE(believed()) << "another user's";
  ASSERT_EQ(chown(path.c_str(), 0, 0), 0);
  ASSERT_EQ(chown(cache.c_str(), 65534, 65534), 0);
  EXPECT_FALSE(believed()) << "in another user's folder";
}

}  // namespace mkmd::compiler::test
