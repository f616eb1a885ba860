// SPDX-License-Identifier: Apache-2.0
// Work of our own on the host, during an emulated run. It is not scaled down with the program. It takes
// scale times as long as it really did, and what needs it begins that much later.
#pragma once

#include "common/thread_annotations.hpp"
#include "libinterpose/emulation/virtual_clock.hpp"

namespace mkmd::emulation {

// By the calling thread, from here on. The emulated clock and the thread's use of its core both tell what
// work is. That clock stands while a driver compiles. A wait for another thread is no work: that thread may
// be paying for its own.
class HostWork {
public:
  explicit HostWork(const VirtualClock& clock);
  HostWork(const VirtualClock& clock, Nanoseconds began, Nanoseconds used_core)
      : clock_(clock), began_(began), used_core_(used_core) {}
  double seconds() const;  // virtual, as they really passed

  Nanoseconds began() const { return began_; }
  Nanoseconds used_core() const { return used_core_; }  // by the thread, until then

private:
  const VirtualClock& clock_;
  const Nanoseconds began_;
  const Nanoseconds used_core_;
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
