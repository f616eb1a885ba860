// SPDX-License-Identifier: Apache-2.0
// Runs the program as a child, for commands that work on after it has ended.
#include "tools/commands.hpp"
#include "tools/launch.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mkmd::tool {

namespace {

// Interrupts from the terminal reach the program, too; we stay to save what it has left.
Ended wait_for(pid_t child) {
  signal(SIGINT, SIG_IGN);
  signal(SIGQUIT, SIG_IGN);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  signal(SIGINT, SIG_DFL);
  signal(SIGQUIT, SIG_DFL);
  if (WIFEXITED(status)) return {true, WEXITSTATUS(status), 0};
  return {true, 128 + WTERMSIG(status), WTERMSIG(status)};
}

// In the child; `started` is closed by the program's start, or says that there was none.
[[noreturn]] void become_or_say(const std::vector<std::string>& program, int started) {
  const int code = become(program);
  [[maybe_unused]] const ssize_t written = write(started, "", 1);
  _exit(code);
}

}  // namespace

Ended run_child(const std::vector<std::string>& program) {
  int started[2];
  if (pipe2(started, O_CLOEXEC) != 0) {
    say(std::strerror(errno));
    return {false, 1, 0};
  }
  const pid_t child = fork();
  if (child < 0) {
    say(std::strerror(errno));
    close(started[0]);
    close(started[1]);
    return {false, 1, 0};
  }
  if (child == 0) become_or_say(program, started[1]);
  close(started[1]);
  Ended ended = wait_for(child);
  char failed = 0;
  ended.started = read(started[0], &failed, 1) != 1;
  close(started[0]);
  return ended;
}

}  // namespace mkmd::tool
