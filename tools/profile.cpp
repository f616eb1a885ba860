// SPDX-License-Identifier: Apache-2.0
// `mkmd profile`: runs the program with the library in profiling mode, then takes the samples it left in the
// spool into the store and fits models. The exit code is the program's; whatever becomes of the samples.
#include "profiler/learn.hpp"
#include "tools/commands.hpp"
#include "tools/launch.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

namespace mkmd::tool {

namespace {

// Interrupts from the terminal reach the program, too; we stay to save what it has measured.
int wait_for(pid_t child) {
  signal(SIGINT, SIG_IGN);
  signal(SIGQUIT, SIG_IGN);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  signal(SIGINT, SIG_DFL);
  signal(SIGQUIT, SIG_DFL);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void report(const Result<profiler::Learned>& learned) {
  if (!learned) {
    std::fprintf(stderr, "mkmd: %s\n", learned.status().message().c_str());
    return;
  }
  print_notices(learned->notices);
  if (learned->damaged > 0) {
    std::fprintf(stderr, "mkmd: %d damaged lines of the spool were left out\n", learned->damaged);
  }
  if (learned->samples == 0) {
    std::fprintf(stderr,
                 "mkmd: no kernel was measured: profiling needs at least two devices (`mkmd devices`, "
                 "--devices) and kernels with buffers\n");
    return;
  }
  std::fprintf(stderr, "mkmd: %d samples taken, %d models fitted; `mkmd models` shows them\n",
               learned->samples, learned->fitted);
}

}  // namespace

int profile(const std::vector<std::string>& arguments) {
  const auto options = parse_profile(arguments);
  if (!options) return wrong_use("profile: " + options.status().message());
  if (options->help) return help({});
  if (const int problem = prepare(*options); problem != 0) return problem;
  // Damaged models go before the program looks for them: it could only say the same once more.
  std::vector<std::string> notices;
  (void)profiler::read_own_models(mkmd::models::default_models_file(), notices);
  print_notices(notices);
  const pid_t child = fork();
  if (child < 0) {
    std::fprintf(stderr, "mkmd: %s\n", std::strerror(errno));
    return 1;
  }
  if (child == 0) _exit(become(options->program));
  const int code = wait_for(child);
  report(profiler::learn({}));
  return code;
}

}  // namespace mkmd::tool
