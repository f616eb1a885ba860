// SPDX-License-Identifier: Apache-2.0
// The bandwidth of one memory, shared by the work of its devices. A piece of work moves its bytes evenly over
// its time. While all pieces together need more than the memory's bandwidth, all slow down by the same
// factor. Pure arithmetic on virtual nanoseconds; not thread-safe.
#pragma once

#include "libinterpose/emulation/virtual_clock.hpp"

#include <map>

namespace mkmd::emulation {

class SharedBandwidth {
public:
  explicit SharedBandwidth(double bytes_per_second) : limit_(bytes_per_second) {}

  // Work that alone takes `seconds` and moves `bytes`. It begins at `start`, or at the latest instant this
  // object has heard of. The number names it.
  int begin(Nanoseconds start, double seconds, double bytes);
  // When it ends if nothing else begins meanwhile.
  Nanoseconds end_of(int work) const;
  void forget(int work);  // ended

private:
  struct Work {
    double remaining;  // seconds of its own time
    double demand;     // bytes per second at full speed
    Nanoseconds ended = 0;
  };
  void advance(double to);

  const double limit_;
  double now_ = 0;  // nanoseconds
  int next_ = 0;
  std::map<int, Work> works_;
};

}  // namespace mkmd::emulation
