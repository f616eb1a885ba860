// SPDX-License-Identifier: Apache-2.0
// The helper as a guest: invisible to the program's own process handling, harmless when it fails. The helpers
// here are shell scripts.
#include "compiler/spawn.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "compiler/client.hpp"
#include "kernel_files.hpp"

namespace mkmd::compiler::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr int kEnough = 120;  // seconds, on any machine however busy

class Spawn : public testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/mkmd-spawn-XXXXXX";
    directory_ = mkdtemp(name);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string script(const std::string& text) {
    const std::string path = directory_ + "/helper" + std::to_string(++count_);
    std::ofstream(path) << "#!/bin/sh\n" << text << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }

  // In a forked child, so that what it does to itself stays there. The body returns true if all was well.
  static bool in_child(const std::function<bool()>& body) {
    const pid_t child = fork();
    if (child == 0) _exit(body() ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  std::string directory_;
  int count_ = 0;
};

int open_files() {
  int count = 0;
  DIR* d = opendir("/proc/self/fd");
  while (readdir(d))
    ++count;
  closedir(d);
  return count;
}

TEST_F(Spawn, LargeInputComesBackWhole) {
  std::string input(3 << 20, 'x');
  for (size_t i = 0; i < input.size(); i += 7)
    input[i] = static_cast<char>(i);
  Result<std::string> output = run_helper(script("cat"), input, kEnough);
  ASSERT_TRUE(output.ok()) << output.status().message();
  EXPECT_TRUE(*output == input);
}

TEST_F(Spawn, FailuresAreOneClearSentence) {
  EXPECT_THAT(run_helper(directory_ + "/nothing", "", kEnough).status().message(), HasSubstr("No such file"));
  EXPECT_THAT(run_helper(directory_, "", kEnough).status().message(), HasSubstr("cannot be started"));
  EXPECT_THAT(run_helper(script("exit 3"), "", kEnough).status().message(), HasSubstr("exit code 3"));
  EXPECT_THAT(run_helper(script("kill -9 $$"), "", kEnough).status().message(), HasSubstr("signal 9"));
  EXPECT_THAT(run_helper(script("kill -SEGV $$"), "unread input", kEnough).status().message(),
              HasSubstr("signal 11"));
  EXPECT_THAT(run_helper(script("exec sleep infinity"), "", 1).status().message(),
              AllOf(HasSubstr("took longer than 1 s"), HasSubstr("MKMD_KC_SECONDS")));
}

TEST_F(Spawn, BesideTheProgramItHasALowPriority) {
  Beside beside;
  const int own = getpriority(PRIO_PROCESS, 0);
  const std::string says = script("nice");
  EXPECT_EQ(run_helper(says, "", kEnough).value(), std::to_string(own) + "\n");
  EXPECT_EQ(run_helper(says, "", kEnough, &beside).value(), std::to_string(std::min(own + 10, 19)) + "\n");
}

TEST_F(Spawn, BesideTheProgramItCanBeCancelled) {
  Beside beside;
  const std::string sign = std::to_string(90000 + getpid());
  const std::string sleeps = script("echo begun > " + directory_ + "/begun; exec sleep " + sign);
  std::thread canceller([&] {
    while (access((directory_ + "/begun").c_str(), F_OK) != 0)
      std::this_thread::yield();
    beside.cancel();
  });
  EXPECT_THAT(run_helper(sleeps, "", kEnough, &beside).status().message(), HasSubstr("is ending"));
  canceller.join();
  EXPECT_FALSE(run_helper(script("cat"), "", kEnough, &beside).ok());
  EXPECT_TRUE(run_helper(script("cat"), "", kEnough).ok()) << "those that somebody waits for go on";
  // The helper dies with its keeper.
  for (int i = 0; i < 1000 && std::system(("pgrep -f '^sleep " + sign + "$' > /dev/null").c_str()) == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_NE(std::system(("pgrep -f '^sleep " + sign + "$' > /dev/null").c_str()), 0);
}

// Neither it nor the kernel may signal the keeper then.
TEST_F(Spawn, BesideAProgramThatGaveUpItsRightsItCanBeCancelled) {
  if (getuid() != 0) GTEST_SKIP() << "this user has no rights to give up";
  std::filesystem::permissions(directory_, std::filesystem::perms::all);
  const std::string begun = directory_ + "/begun";
  const std::string sleeps = script("echo begun > " + begun + "; exec sleep infinity");
  EXPECT_TRUE(in_child([&] {
    Beside beside;
    std::string said;
    std::thread runs([&] { said = run_helper(sleeps, "", kEnough, &beside).status().message(); });
    while (access(begun.c_str(), F_OK) != 0)
      std::this_thread::yield();
    if (setuid(65534) != 0) return false;
    beside.cancel();
    runs.join();
    return said == "the process is ending";
  }));
}

TEST_F(Spawn, SignalsForTheProgramsGroupAreNotForIt) {
  const std::string begun = directory_ + "/begun";
  const std::string answers = script("echo begun > " + begun + "; cat; sleep 0.3; echo end");
  EXPECT_TRUE(in_child([&] {
    setpgid(0, 0);
    signal(SIGTERM, SIG_IGN);
    Beside beside;
    Result<std::string> said = Status::internal("nothing");
    std::thread runs([&] { said = run_helper(answers, "some", kEnough, &beside); });
    while (access(begun.c_str(), F_OK) != 0)
      std::this_thread::yield();
    kill(0, SIGTERM);
    runs.join();
    return said.ok() && *said == "someend\n";
  }));
}

TEST_F(Spawn, ProcessorTimeIsLimitedByTheTimeLimitAndTheProgram) {
  const std::string says = script("ulimit -t; ulimit -Ht"), works = script("while :; do :; done");
  EXPECT_TRUE(in_child([&] {
    Result<std::string> output = run_helper(says, "", 600);
    return output.ok() && *output == "601\n602\n";
  })) << "nothing less than the time limit";
  EXPECT_TRUE(in_child([&] {
    rlimit soft{};
    getrlimit(RLIMIT_CPU, &soft);
    soft.rlim_cur = 30;
    setrlimit(RLIMIT_CPU, &soft);
    Result<std::string> output = run_helper(says, "", 600);
    return output.ok() && *output == "601\n602\n";
  })) << "a limit of the program that may be raised is for the program";
  EXPECT_TRUE(in_child([&] {
    const rlimit hard{100, 100};  // enough for the program itself
    setrlimit(RLIMIT_CPU, &hard);
    Result<std::string> output = run_helper(says, "", 600);
    return output.ok() && *output == "99\n100\n";
  }));
  EXPECT_TRUE(in_child([&] {
    const rlimit hard{2, 2};
    setrlimit(RLIMIT_CPU, &hard);
    const Status status = run_helper(works, "", kEnough).status();
    return status.code() == kHelperTooLate &&
           status.message().find("limit of 2 s of processor time") != std::string::npos;
  }));
}

TEST_F(Spawn, AHelperThatDoesNotReadIsNoProblem) {
  Result<std::string> output = run_helper(script("exec 0<&-; echo fine"), std::string(5 << 20, 'x'), kEnough);
  ASSERT_TRUE(output.ok()) << output.status().message();
  EXPECT_EQ(*output, "fine\n");
}

std::atomic<int> g_child_signals{0};

TEST_F(Spawn, TheProgramNeverSeesTheHelper) {
  EXPECT_TRUE(in_child([&] {
    struct sigaction action {};
    action.sa_handler = [](int) { ++g_child_signals; };
    sigaction(SIGCHLD, &action, nullptr);
    prctl(PR_SET_CHILD_SUBREAPER, 1);  // as process 1 of a container would inherit orphans
    std::atomic<bool> stop{false};
    std::atomic<int> found{0};
    std::thread waiter([&] {
      while (!stop)
        if (waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD) ++found;
    });
    bool ok = true;
    for (int i = 0; i < 20; ++i)
      ok = ok && run_helper(script("cat"), "x", kEnough).ok();
    ok = ok && !run_helper(script("kill -9 $$"), "x", kEnough).ok();
    ok = ok && !run_helper(script("exec sleep infinity"), "", 1).ok();
    stop = true;
    waiter.join();
    return ok && found == 0 && g_child_signals == 0;
  }));
}

TEST_F(Spawn, TheProgramsOwnChildrenStayItsOwn) {
  EXPECT_TRUE(in_child([&] {
    const pid_t child = fork();
    if (child == 0) _exit(42);
    const bool ok = run_helper(script("cat"), "x", kEnough).ok();
    int status = 0;
    return ok && waitpid(-1, &status, 0) == child && WEXITSTATUS(status) == 42;
  }));
}

TEST_F(Spawn, IgnoredChildSignalsDoNotMatter) {
  EXPECT_TRUE(in_child([&] {
    signal(SIGCHLD, SIG_IGN);
    return run_helper(script("cat"), "x", kEnough).ok() && !run_helper(script("exit 3"), "x", kEnough).ok();
  }));
}

TEST_F(Spawn, EnvironmentSignalsAndFilesAreNotInherited) {
  setenv("LD_PRELOAD", "/nonexistent.so", 1);
  setenv("MKMD_EXACT", "1", 1);
  Result<std::string> output = run_helper(
      script("env; echo files; ls /proc/self/fd; grep -E 'SigBlk|SigIgn' /proc/self/status"), "", kEnough);
  unsetenv("LD_PRELOAD");
  unsetenv("MKMD_EXACT");
  ASSERT_TRUE(output.ok()) << output.status().message();
  EXPECT_THAT(*output, testing::Not(HasSubstr("LD_PRELOAD")));
  EXPECT_THAT(*output, testing::Not(HasSubstr("MKMD")));
  EXPECT_THAT(*output, HasSubstr("SigBlk:\t0000000000000000"));
  EXPECT_TRUE(in_child([&] {
    signal(SIGTERM, SIG_IGN);
    const int leaked = open("/dev/null", O_RDONLY);
    dup2(leaked, 77);
    Result<std::string> o = run_helper(
        script("test -e /proc/self/fd/77 && echo open; kill -TERM $$; echo survived"), "", kEnough);
    return !o.ok() && o.status().message().find("signal 15") != std::string::npos;
  }));
}

TEST_F(Spawn, NothingIsLeftOpenAndTheMaskIsAsBefore) {
  const int before = open_files();
  sigset_t mask, after;
  sigemptyset(&mask);
  sigaddset(&mask, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &mask, nullptr);
  (void)run_helper(script("cat"), "x", kEnough);
  (void)run_helper(script("exit 1"), "x", kEnough);
  pthread_sigmask(SIG_UNBLOCK, &mask, &after);
  EXPECT_EQ(open_files(), before);
  EXPECT_TRUE(sigismember(&after, SIGUSR1));
  EXPECT_FALSE(sigismember(&after, SIGUSR2));
}

TEST_F(Spawn, WorksWithoutStandardFilesAndWithFewFiles) {
  EXPECT_TRUE(in_child([&] {
    const std::string path = script("cat");
    for (int fd = 0; fd < 3; ++fd)
      close(fd);
    Result<std::string> output = run_helper(path, "hello", kEnough);
    // And 0-2 are still free: nothing of ours moved in.
    return output.ok() && *output == "hello" && fcntl(0, F_GETFD) < 0 && fcntl(1, F_GETFD) < 0 &&
           fcntl(2, F_GETFD) < 0;
  }));
  EXPECT_TRUE(in_child([&] {
    const std::string path = script("cat");
    rlimit few{4, 4};
    setrlimit(RLIMIT_NOFILE, &few);
    return !run_helper(path, "hello", kEnough).ok();
  }));
  EXPECT_TRUE(in_child([&] {
    const std::string path = script("cat");
    rlimit none{0, 0};
    setrlimit(RLIMIT_FSIZE, &none);
    return run_helper(path, "hello", kEnough).ok();
  }));
}

TEST_F(Spawn, ManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  const std::string path = script("cat");
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5; ++i) {
        const std::string text = std::to_string(t * 100 + i);
        Result<std::string> output = run_helper(path, text, kEnough);
        if (output.ok() && *output == text) ++good;
      }
    });
  for (std::thread& t : threads)
    t.join();
  EXPECT_EQ(good, 40);
}

TEST_F(Spawn, TheHelperItselfSurvivesNonsense) {
  EXPECT_FALSE(run_helper(MKMD_KC, "", kEnough).ok());
  EXPECT_FALSE(run_helper(MKMD_KC, "not json", kEnough).ok());
  EXPECT_FALSE(run_helper(MKMD_KC, "{}", kEnough).ok());
  EXPECT_FALSE(run_helper(MKMD_KC, "{\"request\": 3, \"key\": [], \"store\": 1}", kEnough).ok());
}

TEST_F(Spawn, AnAnswerThatIsNoModuleIsAStatus) {
  for (const char* text : {"echo garbage", "true", "head -c 100000 /dev/urandom",
                           "echo MKMDMOD1aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}) {
    Client client(script(text), "");
    Result<Module> m = client.compile(request_for("kernel void k() {}"));
    ASSERT_FALSE(m.ok());
    EXPECT_THAT(m.status().message(), AllOf(HasSubstr("MKMD_KC"), HasSubstr("answer cannot be used")));
  }
}

}  // namespace
}  // namespace mkmd::compiler::test
