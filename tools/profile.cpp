// SPDX-License-Identifier: Apache-2.0
// `mkmd profile`: runs the program with the library in profiling mode, then takes the samples it left in the
// spool into the store and fits models. The exit code is the program's; whatever becomes of the samples.
#include "common/settings.hpp"
#include "common/text.hpp"
#include "profiler/learn.hpp"
#include "tools/commands.hpp"
#include "tools/launch.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
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

// In the child; `started` is closed by the program's start, or says that there was none.
[[noreturn]] void become_or_say(const std::vector<std::string>& program, int started) {
  const int code = become(program);
  [[maybe_unused]] const ssize_t written = write(started, "", 1);
  _exit(code);
}

// Why a program that was run to be measured left no sample.
std::string why_no_samples() {
  std::vector<std::string> said;
  if (!read_settings(said).enabled) return "MKMD_ENABLE=0 leaves the program alone";
  profiler::Spool spool(profiler::default_spool_folder());
  if (const Status s = spool.try_out(); !s) return "they cannot be written: " + s.message();
  return "profiling needs at least two devices (`mkmd devices`, --devices) and kernels with buffers";
}

void learn_and_report() {
  std::vector<std::string> notices;
  const auto learned = profiler::learn({}, notices);
  print_notices(notices);
  if (!learned) {
    say(learned.status().message());
    return;
  }
  if (learned->damaged > 0) {
    std::fprintf(stderr, "mkmd: left out of the spool: %s\n",
                 counted(static_cast<uint64_t>(learned->damaged), "damaged line").c_str());
  }
  if (learned->samples == 0) {
    say("no kernel was measured: " + why_no_samples());
    return;
  }
  std::fprintf(stderr, "mkmd: %s taken, %s fitted; `mkmd models` shows what is known\n",
               counted(static_cast<uint64_t>(learned->samples), "sample").c_str(),
               counted(static_cast<uint64_t>(learned->fitted), "model").c_str());
}

}  // namespace

int profile(const std::vector<std::string>& arguments) {
  const auto options = parse_profile(arguments);
  if (!options) return wrong_use("profile: " + options.status().message());
  if (options->help) return help({"profile"});
  if (const int problem = prepare(*options); problem != 0) return problem;
  // Damaged models go before the program looks for them: it could only say the same once more.
  std::vector<std::string> notices;
  (void)profiler::read_own_models(mkmd::models::default_models_file(), notices);
  print_notices(notices);
  int started[2];
  if (pipe2(started, O_CLOEXEC) != 0) {
    say(std::strerror(errno));
    return 1;
  }
  const pid_t child = fork();
  if (child < 0) {
    say(std::strerror(errno));
    return 1;
  }
  if (child == 0) become_or_say(options->program, started[1]);
  close(started[1]);
  const int code = wait_for(child);
  char failed = 0;
  if (read(started[0], &failed, 1) == 1) return code;
  learn_and_report();
  return code;
}

}  // namespace mkmd::tool
