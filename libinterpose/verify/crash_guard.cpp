// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/verify/crash_guard.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace mkmd::verify {

namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
struct sigaction before[std::size(kSignals)];
char file_name[4096];
char text[2048];
std::atomic<size_t> length{0};
pid_t owner = 0;  // a forked child crashes for reasons of its own

// Only what signal handlers may call. The instruction then faults again, and the program's own handler, or
// the default, has it; a signal that was sent is sent again.
void on_crash(int signal, siginfo_t* info, void*) {
  const int error = errno;
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    if (kSignals[i] == signal) sigaction(signal, &before[i], nullptr);
  }
  const size_t bytes = length.exchange(0);
  const int fd = bytes > 0 && getpid() == owner ? open(file_name, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
  if (fd >= 0) {
    [[maybe_unused]] const ssize_t written = write(fd, text, bytes);
    close(fd);
  }
  if (info->si_code <= 0) raise(signal);
  errno = error;
}

}  // namespace

CrashGuard::CrashGuard(const std::string& file) {
  owner = getpid();
  std::strncpy(file_name, file.c_str(), sizeof file_name - 1);
  struct sigaction action {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_ONSTACK | SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < std::size(kSignals); ++i)
    sigaction(kSignals[i], &action, &before[i]);
}

CrashGuard::~CrashGuard() {
  length = 0;
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    struct sigaction now {};
    sigaction(kSignals[i], nullptr, &now);
    if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_crash)
      sigaction(kSignals[i], &before[i], nullptr);
  }
}

void CrashGuard::set_line(const std::string& line) {
  length = 0;
  const size_t bytes = std::min(line.size(), sizeof text);
  std::copy_n(line.data(), bytes, text);
  length = bytes;
}

}  // namespace mkmd::verify
