// SPDX-License-Identifier: Apache-2.0
// `mkmd run`: checks what it was told, puts the library before every other libOpenCL the program could find,
// and becomes the program. Nothing is written to stdout, and the exit code is the program's.
#include "common/settings.hpp"
#include "common/trace_owner.hpp"
#include "libinterpose/emulation/platform_file.hpp"
#include "scheduler/policy.hpp"
#include "tools/command_line.hpp"
#include "tools/commands.hpp"
#include "tools/device_check.hpp"
#include "tools/launch.hpp"
#include "tools/library_place.hpp"
#include "tools/program_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace mkmd::tool {

namespace {

void prepend(const char* variable, const std::string& value, char separator) {
  const char* before = std::getenv(variable);
  const std::string all = before != nullptr && before[0] != '\0' ? value + separator + before : value;
  setenv(variable, all.c_str(), 1);
}

// The dynamic loader takes LD_PRELOAD and LD_LIBRARY_PATH apart at the characters, and puts something else in
// the place of the words. Nothing quotes either.
bool can_be_listed(const std::string& folder) {
  if (folder.find_first_of(":; ") != std::string::npos) return false;
  for (const char* word : {"$ORIGIN", "${ORIGIN}", "$LIB", "${LIB}", "$PLATFORM", "${PLATFORM}"}) {
    if (folder.find(word) != std::string::npos) return false;
  }
  return true;
}

}  // namespace

int prepare(const RunOptions& options) {
  for (const auto& [variable, value] : options.variables)
    setenv(variable.c_str(), value.c_str(), 1);

  // From here on only the variables count, whoever set them.
  std::vector<std::string> problems;
  const Settings settings = read_settings(problems);
  if (!problems.empty()) return wrong_use(problems.front());
  if (auto policy = scheduler::make_policy(settings.policy); !policy)
    return wrong_use("--policy (MKMD_POLICY): " + policy.status().message());
  if (!settings.devices.empty()) {
    if (const std::string problem = check_devices(settings.devices); !problem.empty()) {
      return wrong_use("--devices (MKMD_DEVICES): " + problem);
    }
  }
  if (!settings.platform.empty()) {
    if (const auto platform = emulation::read_platform(settings.platform); !platform)
      return wrong_use("--platform (MKMD_PLATFORM): " + platform.status().message());
  }
  if (!settings.trace.empty()) {
    // A program that enqueues nothing writes no trace: then this run's is the empty one.
    if (const std::string problem = begin_trace(settings.trace); !problem.empty()) {
      say("MKMD_TRACE: " + problem);
      unsetenv("MKMD_TRACE");
    }
  }
  if (settings.enabled && settings.log_level >= LogLevel::warning) {
    const std::string& program = options.program.front();
    if (const std::string why = why_no_library(program); !why.empty())
      say(program + " runs without MKMD: " + why);
  }
  const std::string folder = library_folder();
  if (folder.empty()) {
    say("libinterpose.so is not where it belongs, in lib/mkmd beside this command");
    return 1;
  }
  if (!can_be_listed(folder)) {
    say("the program would run without MKMD: it is installed in " + folder +
        ", and the dynamic loader takes no path with a colon, semicolon, space or $ORIGIN, $LIB or $PLATFORM "
        "in "
        "LD_PRELOAD and LD_LIBRARY_PATH; install or move it elsewhere");
    return 1;
  }
  prepend("LD_PRELOAD", folder + "/libinterpose.so", ':');
  prepend("LD_LIBRARY_PATH", folder, ':');
  return 0;
}

int become(const std::vector<std::string>& program) {
  std::vector<std::string> words = program;
  std::vector<char*> arguments;
  for (std::string& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  const int error = errno;
  const std::string missing = error == ENOENT ? missing_interpreter(program.front()) : "";
  say(program.front() + ": " +
      (missing.empty() ? std::strerror(error) : "its interpreter " + missing + " does not exist"));
  return error == ENOENT ? 127 : 126;  // as a shell
}

int run(const std::vector<std::string>& arguments) {
  auto options = parse_run(arguments);
  if (!options) return wrong_use("run: " + options.status().message());
  if (!options->help.empty()) return help({"run"});
  if (const int problem = prepare(*options); problem != 0) return problem;
  return become(options->program);
}

}  // namespace mkmd::tool
