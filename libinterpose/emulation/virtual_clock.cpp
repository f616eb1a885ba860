// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/emulation/virtual_clock.hpp"

namespace mkmd::emulation {

namespace {
// Times of events are read as instants of a device's clock: zero would look like "unknown".
constexpr Nanoseconds kFirst = 1'000'000'000;
}  // namespace

VirtualClock::VirtualClock(double scale) : scale_(scale), begin_(Host::now()) {}

Nanoseconds VirtualClock::at(Host::time_point host) const {
  if (stops_ > 0) host = stopped_at_;
  const std::chrono::duration<double, std::nano> passed = host - begin_ - stood_;
  return kFirst + static_cast<Nanoseconds>(passed.count() / scale_);
}

VirtualClock::Host::time_point VirtualClock::host_time(Nanoseconds instant) const {
  const double passed = instant <= kFirst ? 0.0 : static_cast<double>(instant - kFirst) * scale_;
  return begin_ + stood_ + Host::duration(static_cast<Host::rep>(passed));
}

Nanoseconds VirtualClock::now() const {
  const Lock lock(mutex_);
  return at(Host::now());
}

void VirtualClock::sleep_until(const std::function<Nanoseconds()>& deadline) {
  for (;;) {
    uint64_t seen = 0;
    {
      const Lock lock(mutex_);
      seen = generation_;
    }
    const Nanoseconds instant = deadline();  // asked without our lock: it may take one of its own
    Lock lock(mutex_);
    while (generation_ == seen) {
      if (stops_ > 0) {
        changes_.wait(lock.to_wait());
        continue;
      }
      if (at(Host::now()) >= instant) return;
      changes_.wait_until(lock.to_wait(), host_time(instant) + std::chrono::nanoseconds(1));
    }
  }
}

void VirtualClock::sleep_until(Nanoseconds deadline) {
  sleep_until([deadline] { return deadline; });
}

void VirtualClock::changed() {
  const Lock lock(mutex_);
  ++generation_;
  changes_.notify_all();
}

void VirtualClock::stop() {
  const Lock lock(mutex_);
  if (stops_++ == 0) stopped_at_ = Host::now();
}

void VirtualClock::resume() {
  const Lock lock(mutex_);
  if (--stops_ > 0) return;
  stood_ += Host::now() - stopped_at_;
  changes_.notify_all();
}

}  // namespace mkmd::emulation
