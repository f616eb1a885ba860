// SPDX-License-Identifier: Apache-2.0
#include "common/process.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mkmd;

namespace {

TEST(Process, ThisOneRuns) {
  EXPECT_FALSE(process_ended(getpid()));
  EXPECT_GT(process_began(getpid()), 0U);
}

TEST(Process, AnotherUsersRuns) {
  EXPECT_FALSE(process_ended(1));
}

TEST(Process, ThereIsNoneWithoutANumber) {
  for (const pid_t none : {0, -1}) {
    EXPECT_TRUE(process_ended(none));
    EXPECT_EQ(process_began(none), 0U);
  }
}

TEST(Process, AChildEndsBeforeItIsWaitedFor) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  prctl(PR_SET_NAME, "a) Z 1 (b");  // a program's name may hold anything
  const pid_t child = fork();
  if (child == 0) {
    char byte = 0;
    close(ends[1]);
    _exit(read(ends[0], &byte, 1) == 0 ? 0 : 1);
  }
  close(ends[0]);
  EXPECT_FALSE(process_ended(child));
  EXPECT_GE(process_began(child), process_began(getpid()));

  close(ends[1]);
  siginfo_t about{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &about, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(process_ended(child));
  EXPECT_EQ(process_began(child), 0U);

  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(process_ended(child));
  EXPECT_EQ(process_began(child), 0U);
}

}  // namespace
