// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/vendor/bound_threads.hpp"

#include <charconv>
#include <dirent.h>
#include <memory>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>

namespace mkmd::vendor {

namespace {

constexpr uint32_t kNativesPerThread = 32;  // a thread takes a few microseconds to release and to bind again

// In a child of fork these threads do not exist, and a thread id may become another process's.
bool is_of_this_process(pid_t thread) {
  return syscall(SYS_tgkill, getpid(), thread, 0) == 0;
}

}  // namespace

std::vector<pid_t> threads_of_process() {
  std::vector<pid_t> threads;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/task"), closedir);
  while (const dirent* entry = folder ? readdir(folder.get()) : nullptr) {
    const std::string_view name = entry->d_name;
    pid_t thread = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), thread).ec == std::errc())
      threads.push_back(thread);
  }
  return threads;
}

void BoundThreads::watch(std::vector<pid_t> threads, const cpu_set_t& anywhere) {
  threads_ = std::move(threads);
  anywhere_ = anywhere;
  natives_until_release_ = kNativesPerThread * static_cast<uint32_t>(threads_.size());
}

void BoundThreads::captured_work_begins() {
  if (threads_.empty()) return;
  std::lock_guard lock(mutex_);
  ++capturing_;
  natives_.store(0, std::memory_order_relaxed);
  for (const auto& [thread, where] : std::exchange(released_, {})) {
    if (is_of_this_process(thread)) sched_setaffinity(thread, sizeof where, &where);
  }
}

void BoundThreads::captured_work_ends() {
  if (threads_.empty()) return;
  std::lock_guard lock(mutex_);
  --capturing_;
  natives_.store(0, std::memory_order_relaxed);
}

void BoundThreads::release() {
  std::lock_guard lock(mutex_);
  if (capturing_ > 0) return;
  for (const pid_t thread : threads_) {
    cpu_set_t where;
    if (!is_of_this_process(thread) || sched_getaffinity(thread, sizeof where, &where) != 0) continue;
    if (CPU_COUNT(&where) == 1 && sched_setaffinity(thread, sizeof anywhere_, &anywhere_) == 0)
      released_.emplace_back(thread, where);
  }
}

}  // namespace mkmd::vendor
