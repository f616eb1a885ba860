// SPDX-License-Identifier: Apache-2.0
// The helper must be invisible to the program. A child whose exit signal is 0 is waited for with __WCLONE
// only, so no waitpid(-1) of the program finds it. But execve sets the exit signal back to SIGCHLD. So the
// child is a keeper, which starts the helper as its own child. The keeper waits for the helper, ends it
// when time is up, and returns its exit code. It must wait: a program that is process 1 of a container, or
// a subreaper, would inherit the helper.
#include "compiler/spawn.hpp"

#include "common/signals_blocked.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <memory>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mkmd::compiler {
namespace {

constexpr size_t kStackBytes = 64 * 1024, kMostOutput = 64u << 20;
constexpr int kCannotStart = 127, kTimedOut = 124, kSignalled = 128;
constexpr rlim_t kMemoryBytes = rlim_t{4} << 30;

// The keeper runs on a stack of its own, which a sanitizer's bookkeeping does not know.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MKMD_NOT_SANITIZED __attribute__((no_sanitize("address", "undefined", "thread"), noinline))
#else
#define MKMD_NOT_SANITIZED
#endif

struct Order {
  const char* path;
  int fd;
  int seconds;
};

// Not _exit(): a sanitizer's looks at the program's threads first, whose locks we must not wait for.
[[noreturn]] MKMD_NOT_SANITIZED void leave(int status) {
  for (;;)
    syscall(SYS_exit_group, status);
}

MKMD_NOT_SANITIZED int64_t now_ms() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return int64_t{t.tv_sec} * 1000 + t.tv_nsec / 1'000'000;
}

MKMD_NOT_SANITIZED void close_from(unsigned first) {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, first, ~0U, 0) == 0) return;
#endif
  for (unsigned fd = first; fd < 65536; ++fd)
    close(static_cast<int>(fd));
}

MKMD_NOT_SANITIZED void limit(__rlimit_resource resource, rlim_t wanted) {
  rlimit now{};
  if (getrlimit(resource, &now) != 0) return;
  now.rlim_cur = std::min(wanted, now.rlim_max);
  if (resource == RLIMIT_AS) now.rlim_max = now.rlim_cur;
  setrlimit(resource, &now);
}

// The helper has one thread, so its time limit comes before this one, which is for a keeper that is stopped.
// The program's own hard limit stays. The soft limit is below the hard one: SIGXCPU says why, SIGKILL does
// not.
MKMD_NOT_SANITIZED void limit_processor_time(int seconds) {
  rlimit now{};
  if (getrlimit(RLIMIT_CPU, &now) != 0) return;
  now.rlim_max = std::min(now.rlim_max, static_cast<rlim_t>(seconds) + 2);
  now.rlim_cur = now.rlim_max > 1 ? now.rlim_max - 1 : now.rlim_max;
  setrlimit(RLIMIT_CPU, &now);
}

// In the keeper's child. Only system calls from here on: another thread may have held any lock at the clone.
[[noreturn]] MKMD_NOT_SANITIZED void become_helper(const Order& order) {
  dup2(order.fd, 0);
  dup2(order.fd, 1);
  const int null = open("/dev/null", O_WRONLY);
  if (null >= 0 && null != 2) dup2(null, 2);
  close_from(3);
  setpgid(0, 0);  // not for the terminal's Ctrl-C: the program may survive that
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  limit_processor_time(order.seconds);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which reserve terabytes of addresses
  limit(RLIMIT_AS, kMemoryBytes);
#endif
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_NOFILE, 256);
  limit(RLIMIT_STACK, rlim_t{64} << 20);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  char name[] = "mkmd-kc";
  char locale[] = "LC_ALL=C", search[] = "PATH=/usr/local/bin:/usr/bin:/bin";
  char* arguments[] = {name, nullptr};
  // Nothing of the program's environment: no LD_PRELOAD or LD_LIBRARY_PATH, no OpenCL or MKMD settings.
  char* environment[] = {locale, search, nullptr};
  execve(order.path, arguments, environment);
  leave(kCannotStart);
}

MKMD_NOT_SANITIZED int keep(void* argument) {
  const Order& order = *static_cast<Order*>(argument);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // should the program be killed, its memory must not live on in us
  for (int s = 1; s < NSIG; ++s) {   // all signals are blocked: no handler of the program can run meanwhile
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    sigaction(s, &standard, nullptr);
  }
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)  // their vfork does not know this stack
  const auto helper = static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
#else
  const pid_t helper = vfork();
#endif
  if (helper == 0) become_helper(order);
  if (helper < 0) leave(kCannotStart);
  close_from(0);  // the program's files must not stay open here, and the socket's end is the helper's alone
  const int64_t end = now_ms() + int64_t{order.seconds} * 1000;
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  bool late = false;
  for (;;) {
    int status = 0;
    const pid_t done = waitpid(helper, &status, late ? 0 : WNOHANG);
    if (done == helper) {
      if (late) leave(kTimedOut);
      leave(WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status));
    }
    const int64_t left = end - now_ms();
    if (left <= 0) {
      late = true;
      kill(helper, SIGKILL);
      continue;
    }
    const timespec wait{left / 1000, left % 1000 * 1'000'000};
    sigtimedwait(&child, nullptr, &wait);
  }
}

// A descriptor above the standard ones: the program may run with those closed.
bool above_standard(int& fd) {
  if (fd > 2) return true;
  const int moved = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  close(fd);
  fd = moved;
  return moved >= 0;
}

// Feeds and reads until the other end closes. False when the deadline passed, or more came than anybody can
// use.
bool converse(int fd, std::string_view input, std::string& output, int64_t deadline) {
  std::unique_ptr<char[]> buffer(new char[65536]);
  bool writing = true;
  for (;;) {
    if (writing && input.empty()) {
      shutdown(fd, SHUT_WR);
      writing = false;
    }
    const int64_t left = deadline - now_ms();
    if (left <= 0 || output.size() > kMostOutput) return false;
    pollfd p{fd, static_cast<short>(writing ? POLLIN | POLLOUT : POLLIN), 0};
    if (poll(&p, 1, static_cast<int>(std::min<int64_t>(left, 1000))) < 0) continue;  // interrupted
    if (p.revents & POLLOUT) {
      const ssize_t sent = send(fd, input.data(), input.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent > 0)
        input.remove_prefix(static_cast<size_t>(sent));
      else if (errno != EAGAIN && errno != EINTR)
        input = {}, writing = false;  // it does not listen; it may still speak
    }
    if (p.revents & (POLLIN | POLLHUP | POLLERR)) {
      const ssize_t got = recv(fd, buffer.get(), 65536, MSG_DONTWAIT);
      if (got == 0) return true;
      if (got > 0)
        output.append(buffer.get(), static_cast<size_t>(got));
      else if (errno != EAGAIN && errno != EINTR)
        return true;
    }
  }
}

class NoCancellation {
public:
  NoCancellation() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~NoCancellation() { pthread_setcancelstate(before_, nullptr); }
  NoCancellation(const NoCancellation&) = delete;
  NoCancellation& operator=(const NoCancellation&) = delete;

private:
  int before_ = 0;
};

// -1: it cannot be started.
pid_t start_keeper(Order& order, char* stack) {
  const SignalsBlocked blocked;
  // CLONE_VM: copying the page tables of a program with gigabytes takes longer than compiling. The keeper
  // has its own stack, files and signal dispositions. It makes system calls only. It shares no more than
  // errno with this thread, which does not rely on it meanwhile. (CLONE_VFORK would stop this thread, which
  // has to talk to the helper.)
  auto top = reinterpret_cast<uintptr_t>(stack + kStackBytes) & ~uintptr_t{63};
#ifdef __SANITIZE_THREAD__  // takes every clone() for a fork and calls its own state forked; this one it does
                            // not see
  (void)top;
  const auto keeper = static_cast<pid_t>(syscall(SYS_clone, 0, 0, 0, 0, 0));
  if (keeper == 0) keep(&order);
  return keeper;
#else
  return clone(keep, reinterpret_cast<void*>(top), CLONE_VM, &order);
#endif
}

// Whether it was the keeper itself that ended, and by itself.
bool await(pid_t keeper, int& code) {
  int status = 0;
  pid_t done;
  do
    done = waitpid(keeper, &status, __WCLONE);
  while (done < 0 && errno == EINTR);
  code = WEXITSTATUS(status);
  return done == keeper && WIFEXITED(status);
}

// What an exit code of the keeper other than 0 says.
Status failure(int code, const std::string& path, int seconds) {
  if (code == kCannotStart)
    return Status(kHelperCannotStart, "the compiler helper " + path + " (MKMD_KC) cannot be started");
  rlimit own{};
  getrlimit(RLIMIT_CPU, &own);
  if (code == kSignalled + SIGXCPU && own.rlim_max < static_cast<rlim_t>(seconds) + 2)
    return Status(kHelperTooLate, "the compiler helper was stopped by this process's limit of " +
                                      std::to_string(own.rlim_max) + " s of processor time (ulimit -t)");
  if (code == kTimedOut || code == kSignalled + SIGXCPU)
    return Status(kHelperTooLate, "the compiler helper took longer than " + std::to_string(seconds) +
                                      " s (MKMD_KC_SECONDS) and was stopped");
  if (code > kSignalled)
    return Status::internal("the compiler helper was ended by signal " + std::to_string(code - kSignalled));
  return Status::internal("the compiler helper failed with exit code " + std::to_string(code));
}

}  // namespace

Result<std::string> run_helper(const std::string& path, std::string_view input, int seconds) {
  const NoCancellation guard;
  if (access(path.c_str(), X_OK) != 0)
    return Status(kHelperCannotStart,
                  "the compiler helper " + path + " (MKMD_KC) cannot be run: " + std::strerror(errno));
  int fds[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
    return Status::internal(std::string("cannot talk to the compiler helper: ") + std::strerror(errno));
  const bool usable = above_standard(fds[0]) & above_standard(fds[1]);
  std::unique_ptr<char[]> stack(new char[kStackBytes]);
  Order order{path.c_str(), fds[1], seconds};
  const pid_t keeper = usable ? start_keeper(order, stack.get()) : -1;
  const int error = errno;
  if (fds[1] >= 0) close(fds[1]);
  if (keeper < 0) {
    if (fds[0] >= 0) close(fds[0]);
    return Status::internal(std::string("cannot start the compiler helper: ") + std::strerror(error));
  }
  std::string output;
  // The keeper ends a late helper; should the keeper itself be stopped, we end it, and the helper dies with
  // it.
  if (!converse(fds[0], input, output, now_ms() + int64_t{seconds} * 1000 + 2000)) kill(keeper, SIGKILL);
  close(fds[0]);
  int code = 0;
  const bool ended = await(keeper, code);
  if (output.size() > kMostOutput)
    return Status::internal("the compiler helper's answer is longer than " +
                            std::to_string(kMostOutput >> 20) + " MiB");
  if (!ended) return Status::internal("the compiler helper was killed");
  if (code == 0) return output;
  return failure(code, path, seconds);
}

}  // namespace mkmd::compiler
