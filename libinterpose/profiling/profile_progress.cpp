// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/profiling/profile_progress.hpp"

#include "common/host_clock.hpp"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace mkmd {

namespace {

constexpr int kBar = 20;                    // characters
constexpr cl_ulong kBetween = 100'000'000;  // nanoseconds

void put(const std::string& text) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

ProfileProgress::ProfileProgress() : terminal_(isatty(STDERR_FILENO) != 0) {}

void ProfileProgress::begin(const std::string& kernel, const std::array<uint64_t, 3>& global, int runs) {
  what_ = kernel + " " + std::to_string(global[0]);
  for (int d = 1; d < 3; ++d) {
    if (global[d] > 1) what_ += "x" + std::to_string(global[d]);
  }
  total_ = runs;
  done_ = 0;
  began_ = host_nanoseconds();
  shown_ = 0;
}

void ProfileProgress::device(const std::string& name) {
  device_ = name;
  show();
}

void ProfileProgress::step() {
  ++done_;
  show();
}

void ProfileProgress::show() {
  const cl_ulong now = host_nanoseconds();
  if (!terminal_ || now - shown_ < kBetween) return;
  shown_ = now;
  const int total = std::max(1, total_);
  const int filled = std::clamp(kBar * done_ / total, 0, kBar);
  const double spent = static_cast<double>(now - began_) * 1e-9;
  char left[48] = "";
  if (done_ > 0) std::snprintf(left, sizeof left, ", %.1f s left", spent / done_ * (total - done_));
  put("\r\033[Kmkmd: [" + std::string(filled, '#') + std::string(kBar - filled, '-') + "] " + what_ + " on " +
      device_ + ", run " + std::to_string(done_) + " of " + std::to_string(total) + left);
}

void ProfileProgress::end() {
  if (terminal_) put("\r\033[K");
}

}  // namespace mkmd
