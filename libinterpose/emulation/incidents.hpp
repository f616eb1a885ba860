// SPDX-License-Identifier: Apache-2.0
// What the platform file lets happen to devices and memories while the program runs. It says at which
// instants, and what that means for what is under way. Instants count from the first emulated action. Not
// thread-safe.
#pragma once

#include "libinterpose/emulation/domains.hpp"
#include "libinterpose/emulation/virtual_clock.hpp"

namespace mkmd::emulation {

class Incidents {
public:
  Incidents(const PlatformFile& platform, const Domains& domains, const VirtualClock& clock)
      : platform_(platform), domains_(domains), clock_(clock) {}

  void begin(Nanoseconds first);  // an action does; heard of the first only

  // When something ends that alone takes so many seconds.
  Nanoseconds slowed(int device, Nanoseconds start, double seconds) const;
  Nanoseconds fails_at(int device) const;
  Nanoseconds lost_at(int domain) const;  // when the last device of the memory has failed
  bool has_passed(Nanoseconds instant) const;
  double bytes_of(int domain) const;  // that its memory has by now

private:
  const PlatformFile& platform_;
  const Domains& domains_;
  const VirtualClock& clock_;
  Nanoseconds began_ = 0;
};

}  // namespace mkmd::emulation
