// SPDX-License-Identifier: Apache-2.0
#include "common/process.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <sys/auxv.h>

namespace mkmd {

namespace {

struct Stat {
  bool ended;
  uint64_t began;
};

// Nothing if it cannot be read: the process is gone, or hidden from us.
std::optional<Stat> read_stat(pid_t pid) {
  std::FILE* const file = std::fopen(("/proc/" + std::to_string(pid) + "/stat").c_str(), "re");
  if (file == nullptr) return {};
  char text[1024];
  text[std::fread(text, 1, sizeof text - 1, file)] = '\0';
  std::fclose(file);
  // The name of the program, in brackets, may hold anything.
  const char* const rest = std::strrchr(text, ')');
  char state = 0;
  unsigned long long began = 0;
  if (rest == nullptr ||
      std::sscanf(rest + 1,
                  " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                  "%*s %llu",
                  &state, &began) != 2)
    return {};
  return Stat{state == 'Z' || state == 'X', began};
}

}  // namespace

uint64_t process_began(pid_t pid) {
  const std::optional<Stat> stat = read_stat(pid);
  return stat && !stat->ended ? stat->began : 0;
}

bool secure_execution() {
  return getauxval(AT_SECURE) != 0;
}

bool process_ended(pid_t pid) {
  if (pid <= 0 || (kill(pid, 0) != 0 && errno == ESRCH)) return true;
  const std::optional<Stat> stat = read_stat(pid);
  return stat && stat->ended;
}

}  // namespace mkmd
