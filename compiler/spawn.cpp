// SPDX-License-Identifier: Apache-2.0
// The helper must be invisible to the program. A child whose exit signal is 0 is waited for with __WCLONE
// only, so no waitpid(-1) of the program finds it. But execve sets the exit signal back to SIGCHLD. So the
// child is a keeper, which starts the helper as its own child. The keeper waits for the helper, ends it
// when time is up, and says how it ended (Order). It must wait: a program that is process 1 of a container,
// or a subreaper, would inherit the helper. It also talks to the helper, with files of its own: the program
// may close any file of the process, and use its number again.
#include "compiler/spawn.hpp"

#include "common/signals_blocked.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <linux/futex.h>
#include <memory>
#include <optional>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mkmd::compiler {
namespace {

constexpr size_t kStackBytes = 64 * 1024, kMostOutput = 64u << 20;
// How a run ended, beside the helper's own exit codes.
constexpr int kKilled = 120, kCannotTalk = 121, kTooLong = 122, kCancelled = 123, kTimedOut = 124,
              kCannotStart = 127, kSignalled = 128;
constexpr int kKeepersEnd = 0, kHelpersEnd = 1;  // of a socket, in the keeper, which has no other files
constexpr rlim_t kMemoryBytes = rlim_t{4} << 30;
constexpr int kNiceBeside = 10, kPatienceBeside = 10;
constexpr int kStep = 100;  // milliseconds until the keeper looks around, whatever signals it missed

// The keeper runs on a stack of its own, which a sanitizer's bookkeeping does not know.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MKMD_NOT_SANITIZED __attribute__((no_sanitize("address", "undefined", "thread"), noinline))
#else
#define MKMD_NOT_SANITIZED
#endif

// What the keeper is told, and what it tells.
struct Order {
  const char* path;
  int seconds;  // of processor time
  int nice;     // is added to the program's
  int wall_seconds;
  const char* input;
  size_t input_bytes;
  pid_t program;
  std::atomic<uint32_t> cancelled;  // 1: nobody wants the helper any more
  // The keeper's.
  std::atomic<uint32_t> done;  // 1: it is about to end, and says nothing more
  int code;
  size_t output_bytes;
};

// Both in one mapping, which a child that is a copy of its parent shares, too.
struct Exchange {
  Order order;
  char output[kMostOutput];
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
  dup2(kHelpersEnd, 0);
  const int null = open("/dev/null", O_WRONLY);
  if (null >= 0 && null != 2) dup2(null, 2);
  close_from(3);
  setpgid(0, 0);  // not for the terminal's Ctrl-C: the program may survive that
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  limit_processor_time(order.seconds);
  if (order.nice != 0) {
    const sched_param none{};
    if (sched_getscheduler(0) != SCHED_IDLE) sched_setscheduler(0, SCHED_OTHER, &none);  // has nice values
    setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + order.nice);
  }
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

[[noreturn]] MKMD_NOT_SANITIZED void end(Order& order, int code) {
  order.code = code;
  order.done.store(1, std::memory_order_release);
  syscall(SYS_futex, &order.done, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  leave(code);
}

// The keeper must wait for it: see above.
[[noreturn]] MKMD_NOT_SANITIZED void end_helper(Order& order, pid_t helper, int code) {
  kill(helper, SIGKILL);
  while (waitpid(helper, nullptr, 0) != helper) {
  }
  end(order, code);
}

// All that has come. False: the other end is closed. A failure has no reason here: errno is our thread's,
// too.
MKMD_NOT_SANITIZED bool receive(Exchange& exchange) {
  Order& order = exchange.order;
  for (;;) {
    const size_t room = kMostOutput - order.output_bytes;
    if (room == 0) return true;
    const ssize_t got = recv(kKeepersEnd, exchange.output + order.output_bytes, room, MSG_DONTWAIT);
    if (got <= 0) return got != 0;
    order.output_bytes += static_cast<size_t>(got);
  }
}

// Sends what is left. False: nothing is.
MKMD_NOT_SANITIZED bool send_some(std::string_view& input) {
  const ssize_t sent = send(kKeepersEnd, input.data(), input.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent > 0) input.remove_prefix(static_cast<size_t>(sent));
  if (!input.empty()) return true;
  shutdown(kKeepersEnd, SHUT_WR);
  return false;
}

// A program that has given up its rights can send the keeper no signal, nor can the kernel when it ends.
MKMD_NOT_SANITIZED bool is_unwanted(const Order& order) {
  return order.cancelled.load(std::memory_order_acquire) != 0 || getppid() != order.program;
}

// Feeds the helper and keeps what it says, until it ends, or nobody wants it any more.
[[noreturn]] MKMD_NOT_SANITIZED void attend(Exchange& exchange, pid_t helper, int signals) {
  Order& order = exchange.order;
  const int64_t latest = now_ms() + int64_t{order.wall_seconds} * 1000;
  std::string_view input(order.input, order.input_bytes);
  bool writes = true, reads = true;
  for (;;) {
    if (now_ms() >= latest) end_helper(order, helper, kTimedOut);
    if (is_unwanted(order)) end_helper(order, helper, kCancelled);
    const auto events = static_cast<short>((reads ? POLLIN : 0) | (writes ? POLLOUT : 0));
    pollfd files[2] = {{events != 0 ? kKeepersEnd : -1, events, 0}, {signals, POLLIN, 0}};
    poll(files, 2, kStep);
    if ((files[0].revents & (POLLHUP | POLLERR)) != 0) writes = false;  // it does not listen
    if (writes && (files[0].revents & POLLOUT) != 0) writes = send_some(input);
    if ((files[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0 && !receive(exchange)) reads = writes = false;
    if (order.output_bytes == kMostOutput) end_helper(order, helper, kTooLong);
    signalfd_siginfo signal{};
    if ((files[1].revents & POLLIN) != 0 && read(signals, &signal, sizeof signal) == sizeof signal &&
        signal.ssi_signo == SIGTERM)
      end_helper(order, helper, kCancelled);
    int status = 0;
    if (waitpid(helper, &status, WNOHANG) != helper) continue;
    receive(exchange);
    end(order, WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status));
  }
}

MKMD_NOT_SANITIZED int keep(void* argument) {
  Exchange& exchange = *static_cast<Exchange*>(argument);
  Order& order = exchange.order;
  for (int s = 1; s < NSIG; ++s) {  // all signals are blocked: no handler of the program can run meanwhile
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    sigaction(s, &standard, nullptr);
  }
  setpgid(0, 0);                     // signals for the program's group are not for us
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // should the program be killed, its memory must not live on in us
  // The program's files must not stay open here.
  close_from(0);
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) end(order, kCannotTalk);
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGCHLD);
  sigaddset(&wanted, SIGTERM);
  const int signals = signalfd(-1, &wanted, SFD_NONBLOCK);
  if (signals < 0) end(order, kCannotTalk);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)  // their vfork does not know this stack
  const auto helper = static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
#else
  const pid_t helper = vfork();
#endif
  if (helper == 0) become_helper(order);
  if (helper < 0) end(order, kCannotStart);
  close(kHelpersEnd);
  attend(exchange, helper, signals);
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
pid_t start_keeper(Exchange& exchange, char* stack) {
  const SignalsBlocked blocked;
  // CLONE_VM: copying the page tables of a program with gigabytes takes longer than compiling. The keeper
  // has its own stack, files and signal dispositions. It makes system calls only. It shares no more than
  // errno with this thread. Neither relies on it meanwhile. (CLONE_VFORK would stop this thread, which
  // may have to end it.)
  auto top = reinterpret_cast<uintptr_t>(stack + kStackBytes) & ~uintptr_t{63};
#ifdef __SANITIZE_THREAD__  // takes every clone() for a fork and calls its own state forked; this one it does
                            // not see
  (void)top;
  const auto keeper = static_cast<pid_t>(syscall(SYS_clone, 0, 0, 0, 0, 0));
  if (keeper == 0) keep(&exchange);
  return keeper;
#else
  return clone(keep, reinterpret_cast<void*>(top), CLONE_VM, &exchange);
#endif
}

// Waits until the keeper has ended. It may be killed, and the program may wait for it instead of us.
void await(pid_t keeper, Order& order, Beside::Run& run) {
  const int64_t latest = now_ms() + int64_t{order.wall_seconds} * 1000 + 2000;
  for (;;) {
    const bool is_done = order.done.load(std::memory_order_acquire) != 0;
    if (run.reap(is_done)) return;
    if (now_ms() > latest) kill(keeper, SIGKILL);  // it was stopped; the helper dies with it
    if (is_done) {
      sched_yield();
      continue;
    }
    const timespec step{0, 100'000'000};
    syscall(SYS_futex, &order.done, FUTEX_WAIT, 0, &step, nullptr, 0);
  }
}

class Mapping {
public:
  Mapping()
      : at_(mmap(nullptr, sizeof(Exchange), PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ~Mapping() {
    if (at_ != MAP_FAILED) munmap(at_, sizeof(Exchange));
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  Exchange* get() const { return at_ != MAP_FAILED ? static_cast<Exchange*>(at_) : nullptr; }

private:
  void* const at_;
};

// What a code of the keeper other than 0 says.
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
  if (code == kCancelled) return Status::internal("the process is ending");
  if (code == kKilled) return Status::internal("the compiler helper was killed");
  if (code == kCannotTalk) return Status::internal("cannot talk to the compiler helper");
  if (code == kTooLong)
    return Status::internal("the compiler helper's answer is longer than " +
                            std::to_string(kMostOutput >> 20) + " MiB");
  if (code > kSignalled)
    return Status::internal("the compiler helper was ended by signal " + std::to_string(code - kSignalled));
  return Status::internal("the compiler helper failed with exit code " + std::to_string(code));
}

}  // namespace

void Beside::cancel() {
  const Lock lock(mutex_);
  cancelled_ = true;
  for (const Run* run : runs_)
    run->cancel();
}

bool Beside::is_cancelled() const {
  const Lock lock(mutex_);
  return cancelled_;
}

Beside::Run::Run(Beside* beside, pid_t keeper, std::atomic<uint32_t>& cancelled)
    : beside_(beside), keeper_(keeper), cancelled_(cancelled) {
  if (beside_ == nullptr) return;
  const Lock lock(beside_->mutex_);
  beside_->runs_.push_back(this);
  if (beside_->cancelled_) cancel();
}

void Beside::Run::cancel() const {
  cancelled_.store(1, std::memory_order_release);
  kill(keeper_, SIGTERM);
  kill(keeper_, SIGCONT);  // it may be stopped
}

bool Beside::Run::reap(bool is_done) {
  std::optional<Lock> lock;
  if (beside_ != nullptr) lock.emplace(beside_->mutex_);
  const pid_t ended = waitpid(keeper_, nullptr, __WCLONE | WNOHANG);
  if (ended == 0) return false;
  // Somebody else may have waited for it, or nobody may wait. Why is not known: errno is the keeper's, too.
  if (ended < 0 && !is_done && kill(keeper_, 0) == 0) return false;
  if (beside_ != nullptr) std::erase(beside_->runs_, this);
  return true;
}

Result<std::string> run_helper(const std::string& path, std::string_view input, int seconds, Beside* beside) {
  const NoCancellation guard;
  if (beside != nullptr && beside->is_cancelled()) return Status::internal("the process is ending");
  if (access(path.c_str(), X_OK) != 0)
    return Status(kHelperCannotStart,
                  "the compiler helper " + path + " (MKMD_KC) cannot be run: " + std::strerror(errno));
  const Mapping mapping;
  Exchange* const exchange = mapping.get();
  if (exchange == nullptr)
    return Status::internal(std::string("cannot talk to the compiler helper: ") + std::strerror(errno));
  Order& order = exchange->order;
  order.path = path.c_str();
  order.seconds = seconds;
  order.nice = beside != nullptr ? kNiceBeside : 0;
  order.wall_seconds = beside != nullptr ? seconds * kPatienceBeside : seconds;
  order.input = input.data();
  order.input_bytes = input.size();
  order.program = getpid();
  order.code = kKilled;
  const std::unique_ptr<char[]> stack(new char[kStackBytes]);
  const pid_t keeper = start_keeper(*exchange, stack.get());
  if (keeper < 0)
    return Status::internal(std::string("cannot start the compiler helper: ") + std::strerror(errno));
  Beside::Run run(beside, keeper, order.cancelled);
  await(keeper, order, run);
  if (order.code == 0) return std::string(exchange->output, order.output_bytes);
  return failure(order.code, path, seconds);
}

}  // namespace mkmd::compiler
