// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/vendor/bound_threads.hpp"

#include "common/host_clock.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dirent.h>
#include <unistd.h>
#include <utility>

namespace mkmd::vendor {

namespace {

constexpr unsigned kCommandsPerLook = 256;
constexpr double kSecondsPerLook = 0.25, kSecondsToFirstLook = 0.05;
// Cores that other processes use, on average since the last look.
constexpr double kFewCores = 0.1, kSomeCores = 0.3;

}  // namespace

std::vector<pid_t> threads_of_process() {
  std::vector<pid_t> threads;
  DIR* const folder = opendir("/proc/self/task");
  if (folder == nullptr) return threads;
  while (const dirent* entry = readdir(folder)) {
    if (const int id = std::atoi(entry->d_name); id > 0) threads.push_back(id);
  }
  closedir(folder);
  return threads;
}

std::optional<Load> load_of_machine() {
  std::FILE* const file = std::fopen("/proc/stat", "re");
  if (file == nullptr) return std::nullopt;
  std::array<unsigned long long, 7> ticks{};  // user, nice, system, idle, iowait, irq, softirq
  const int found = std::fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu", &ticks[0], &ticks[1],
                                &ticks[2], &ticks[3], &ticks[4], &ticks[5], &ticks[6]);
  std::fclose(file);
  timespec own{};
  if (found != 7 || clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own) != 0) return std::nullopt;
  const auto used = static_cast<double>(ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6]);
  return Load{host_seconds(), used / static_cast<double>(sysconf(_SC_CLK_TCK)),
              static_cast<double>(own.tv_sec) + 1e-9 * static_cast<double>(own.tv_nsec)};
}

BoundThreads::BoundThreads(std::vector<pid_t> before, unsigned count, Ask ask)
    : before_(std::move(before)), count_(count), ask_(std::move(ask)), process_(getpid()),
      next_look_(host_seconds() + kSecondsToFirstLook), last_(ask_()) {
  sched_getaffinity(0, sizeof all_cores_, &all_cores_);
}

void BoundThreads::native_command() {
  thread_local unsigned commands = 0;
  if (++commands % kCommandsPerLook != 0) return;
  const double now = host_seconds();
  if (now < next_look_.load(std::memory_order_relaxed)) return;
  next_look_.store(now + kSecondsPerLook, std::memory_order_relaxed);
  look();
}

void BoundThreads::look() {
  if (is_of_child()) return;
  const Lock lock(mutex_);
  if (!threads_) find();
  if (threads_->empty()) return;
  const std::optional<Load> now = ask_();
  const std::optional<Load> before = std::exchange(last_, now);
  if (!now || !before || now->at <= before->at) return;
  const double others = (now->all - before->all - (now->own - before->own)) / (now->at - before->at);
  if (others > kSomeCores) set_free(true);
  if (others < kFewCores) set_free(false);
}

// After a fork the threads are the parent's, and one of them may have held the mutex.
bool BoundThreads::is_of_child() const {
  return getpid() != process_;
}

void BoundThreads::find() {
  threads_.emplace();
  for (const pid_t id : threads_of_process()) {
    if (std::ranges::find(before_, id) != before_.end()) continue;
    Thread thread{id, {}};
    if (sched_getaffinity(id, sizeof thread.core, &thread.core) == 0 && CPU_COUNT(&thread.core) == 1)
      threads_->push_back(thread);
  }
  if (threads_->size() != count_) threads_->clear();
}

void BoundThreads::bind() {
  if (is_of_child()) return;
  const Lock lock(mutex_);
  set_free(false);
}

void BoundThreads::set_free(bool free) {
  if (free_.exchange(free) == free) return;
  for (const Thread& thread : *threads_)
    sched_setaffinity(thread.id, sizeof thread.core, free ? &all_cores_ : &thread.core);
}

}  // namespace mkmd::vendor
