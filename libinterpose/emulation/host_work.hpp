// SPDX-License-Identifier: Apache-2.0
// Work of our own on the host, during an emulated run. It is not scaled down with the program: it takes scale
// times as long as it really did, and what it is for begins that much later.
#pragma once

#include "common/thread_annotations.hpp"
#include "libinterpose/emulation/virtual_clock.hpp"

namespace mkmd::emulation {

// By the calling thread, from here on. It is what the emulated clock and the thread's use of its core agree
// on: that clock stands while a driver compiles, and to wait for somebody else, who may be paying for work of
// his own, is no work.
class HostWork {
public:
  explicit HostWork(const VirtualClock& clock);
  double seconds() const;  // virtual, as they really passed

private:
  const VirtualClock& clock_;
  const Nanoseconds begin_;
  const Nanoseconds core_begin_;
};

// Thread-safe.
class HostDebt {
public:
  explicit HostDebt(const VirtualClock& clock) : clock_(clock) {}

  void owe(const HostWork& work);         // to be paid with the next pay()
  Nanoseconds pay(const HostWork& work);  // the instant at which the work, and all that was owed, is done

private:
  const VirtualClock& clock_;
  Mutex mutex_;
  double owed_ GUARDED_BY(mutex_) = 0;       // virtual seconds
  Nanoseconds paid_ GUARDED_BY(mutex_) = 0;  // when what was paid for last is done
};

}  // namespace mkmd::emulation
