// SPDX-License-Identifier: Apache-2.0
// The C library's clocks and timed waits, as the linker finds them first. In a process of one thread only
// time, or what it brings, can end a wait.
#include "tests/libinterpose/fakes/virtual_time.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <time.h>

namespace mkmd::virtual_time {

std::function<bool(cl_ulong until)> let_pass;

namespace {

constexpr cl_ulong kBegin = 1'000'000'000;
constexpr cl_ulong kMost = kBegin + 3'600'000'000'000;  // a test that lasts an hour waits for ever

cl_ulong instant = kBegin;

cl_ulong in_nanoseconds(const timespec& t) {
  return static_cast<cl_ulong>(t.tv_sec) * 1'000'000'000 + static_cast<cl_ulong>(t.tv_nsec);
}

// False: it is `until`, and nothing has happened.
bool pass(cl_ulong until) {
  if (let_pass && let_pass(until)) return true;
  advance_to(until);
  return false;
}

int wait(pthread_mutex_t* mutex, const timespec* until) {
  pthread_mutex_unlock(mutex);
  const bool news = pass(in_nanoseconds(*until));
  pthread_mutex_lock(mutex);
  return news ? 0 : ETIMEDOUT;
}

int sleep_until(cl_ulong until) {
  while (pass(until)) {
  }
  return 0;
}

}  // namespace

cl_ulong now() {
  return instant;
}

void reset() {
  instant = kBegin;
}

void advance_to(cl_ulong to) {
  if (to > instant) instant = to;
  if (instant < kMost) return;
  std::fputs("virtual time: somebody waits for what never happens\n", stderr);
  std::abort();
}

}  // namespace mkmd::virtual_time

using namespace mkmd::virtual_time;

#pragma GCC visibility push(default)  // for the C++ library, too
extern "C" {

int clock_gettime(clockid_t clock, timespec* t) noexcept {
  const bool of_thread = clock == CLOCK_THREAD_CPUTIME_ID || clock == CLOCK_PROCESS_CPUTIME_ID;
  const cl_ulong time = of_thread ? 0 : now();  // what the program computes takes no time
  t->tv_sec = static_cast<time_t>(time / 1'000'000'000);
  t->tv_nsec = static_cast<long>(time % 1'000'000'000);
  return 0;
}

int pthread_cond_clockwait(pthread_cond_t*, pthread_mutex_t* mutex, clockid_t, const timespec* until) {
  return wait(mutex, until);
}

int pthread_cond_timedwait(pthread_cond_t*, pthread_mutex_t* mutex, const timespec* until) {
  return wait(mutex, until);
}

int nanosleep(const timespec* duration, timespec*) {
  return sleep_until(now() + in_nanoseconds(*duration));
}

int clock_nanosleep(clockid_t, int flags, const timespec* time, timespec*) {
  return sleep_until((flags & TIMER_ABSTIME) != 0 ? in_nanoseconds(*time) : now() + in_nanoseconds(*time));
}
}
#pragma GCC visibility pop
