// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/emulation/host_work.hpp"

#include <algorithm>
#include <ctime>
#include <utility>

namespace mkmd::emulation {

namespace {

// By the calling thread, in all.
Nanoseconds used_of_core() {
  timespec used;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<Nanoseconds>(used.tv_sec) * 1'000'000'000 + static_cast<Nanoseconds>(used.tv_nsec);
}

}  // namespace

HostWork::HostWork(const VirtualClock& clock) : HostWork(clock, clock.now(), used_of_core()) {}

double HostWork::seconds() const {
  const auto passed = static_cast<double>(clock_.now() - began_);
  const auto used = static_cast<double>(used_of_core() - used_core_) / clock_.scale();
  return std::min(passed, used) * 1e-9;
}

void HostDebt::owe(const HostWork& work) {
  const double seconds = work.seconds();
  const Lock lock(mutex_);
  owed_ += seconds * (clock_.scale() - 1);
}

Nanoseconds HostDebt::pay(const HostWork& work) {
  owe(work);
  const Nanoseconds now = clock_.now();
  const Lock lock(mutex_);
  paid_ = std::max(paid_, now) + nanoseconds(std::exchange(owed_, 0.0));
  return paid_;
}

}  // namespace mkmd::emulation
