// SPDX-License-Identifier: Apache-2.0
// Crashes happen in forked children.
#include "libinterpose/verify/crash_guard.hpp"

#include "common/files.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>

namespace mkmd::verify {
namespace {

class CrashGuardTest : public testing::Test {
protected:
  void SetUp() override {
    const int fd = mkstemp(file_);
    ASSERT_GE(fd, 0);
    close(fd);
  }
  void TearDown() override { unlink(file_); }

  // How a child that does this ends, as wait() has it.
  static int in_child(const std::function<void()>& body) {
    const pid_t child = fork();
    if (child == 0) {
      for (const int signal : {SIGSEGV, SIGABRT, SIGFPE})
        std::signal(signal, SIG_DFL);  // of a sanitizer
      body();
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }
  std::string written() const { return *read_file(file_); }

  char file_[32] = "/tmp/mkmd-guard-XXXXXX";
};

[[noreturn]] void crash() {
  raise(SIGSEGV);
  _exit(1);
}

TEST_F(CrashGuardTest, ACrashIsToldAndStaysOne) {
  const int status = in_child([&] {
    const CrashGuard guard(file_);
    CrashGuard::set_line("it crashed\n");
    volatile uintptr_t address = sizeof(int);  // which compilers must not see
    *reinterpret_cast<volatile int*>(address) = 1;
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGSEGV);
  EXPECT_EQ(written(), "it crashed\n");
}

TEST_F(CrashGuardTest, AnAbortIsOne) {
  const int status = in_child([&] {
    const CrashGuard guard(file_);
    CrashGuard::set_line("it aborted\n");
    std::abort();
  });
  EXPECT_EQ(WTERMSIG(status), SIGABRT);
  EXPECT_EQ(written(), "it aborted\n");
}

TEST_F(CrashGuardTest, WithoutALineNothingIsTold) {
  const int status = in_child([&] {
    const CrashGuard guard(file_);
    CrashGuard::set_line("it crashed\n");
    CrashGuard::set_line("");
    crash();
  });
  EXPECT_EQ(WTERMSIG(status), SIGSEGV);
  EXPECT_EQ(written(), "");
}

TEST_F(CrashGuardTest, TheProgramsHandlerHasItNext) {
  const int status = in_child([&] {
    std::signal(SIGSEGV, [](int) { _exit(42); });
    const CrashGuard guard(file_);
    CrashGuard::set_line("it crashed\n");
    crash();
  });
  EXPECT_EQ(WEXITSTATUS(status), 42);
  EXPECT_EQ(written(), "it crashed\n");
}

TEST_F(CrashGuardTest, HandlersAreGoneWithIt) {
  const int status = in_child([&] {
    struct sigaction before {};
    struct sigaction after {};
    sigaction(SIGSEGV, nullptr, &before);
    { const CrashGuard guard(file_); }
    sigaction(SIGSEGV, nullptr, &after);
    _exit(before.sa_handler == after.sa_handler ? 0 : 1);
  });
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(CrashGuardTest, AForkedChildCrashesForReasonsOfItsOwn) {
  const int status = in_child([&] {
    const CrashGuard guard(file_);
    CrashGuard::set_line("it crashed\n");
    const pid_t child = fork();
    if (child == 0) crash();
    int ended = 0;
    waitpid(child, &ended, 0);
    CrashGuard::set_line("");
    _exit(WIFSIGNALED(ended) ? WTERMSIG(ended) : 0);
  });
  EXPECT_EQ(WEXITSTATUS(status), SIGSEGV);
  EXPECT_EQ(written(), "");
}

}  // namespace
}  // namespace mkmd::verify
