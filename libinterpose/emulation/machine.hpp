// SPDX-License-Identifier: Apache-2.0
// The emulated machine executes actions for real, and lets each take the time that the platform file gives
// it. Each device has a chain of virtual time, and so has each port of a memory. An action starts when its
// device or both its ports are free, and its inputs are ready. Its thread sleeps until its end, an absolute
// instant. So late wake-ups do not add up. Real work that outlasts its emulated time is an overrun. A run
// with more than 1 % of overruns is void. Work that begins late because a thread woke up late is none: the
// program's measurements show it. Thread-safe. A process has one.
#pragma once

#include "libinterpose/emulation/durations.hpp"
#include "libinterpose/emulation/host_work.hpp"
#include "libinterpose/emulation/incidents.hpp"
#include "libinterpose/emulation/shared_bandwidth.hpp"

#include <memory>
#include <set>

namespace mkmd::emulation {

struct Span {
  Nanoseconds start = 0, end = 0;
  Nanoseconds working = 0;  // when the device begins to compute, after the launch: the start of an event
  bool failed = false;      // the device failed before its end, or a memory was lost
  bool begun = false;       // it failed after its start, and may have written some bytes
};

struct Totals {
  uint64_t actions = 0;
  uint64_t overruns = 0;
  uint64_t again = 0;       // commands that were repeated on other devices after a failure
  uint64_t refused = 0;     // allocations a full memory had no room for
  double late_seconds = 0;  // virtual, of the overruns
  bool valid() const { return overruns * 100 <= actions; }
};

class Machine {
public:
  explicit Machine(PlatformFile platform);

  const PlatformFile& platform() const { return platform_; }
  int device_count() const { return static_cast<int>(platform_.devices.size()); }
  int domain_of(int device) const { return domains_.of_device[device]; }
  int domain_count() const { return domains_.count(); }

  VirtualClock& clock() { return clock_; }
  const VirtualClock& clock() const { return clock_; }
  HostDebt& host() { return host_; }

  // Runs `work` as the action; it may not start before `ready`. Returns when the action's virtual time is
  // over.
  Span run(const Demand& demand, Nanoseconds ready, const std::function<void()>& work);

  // Whether the device has failed, so that nothing should be planned on it. A memory is lost with the last of
  // its devices.
  bool failed(int device) const;
  bool lost(int domain) const;

  // Takes memory for a buffer of so many bytes, at the size that really runs. False: the memory is full. It
  // is given back with the buffer.
  bool allocate(int domain, uint64_t bytes);
  void release(int domain, uint64_t bytes);
  bool has_room(int domain, uint64_t bytes) const;

  // The result of measuring this demand alone, with jitter. Calibration measures all of it. Profiling
  // measures the time from its event's start to its end.
  double sample(const Demand& demand);
  double sample_working(const Demand& demand);
  // The results of measuring these kernels when all start at once, each on its own device.
  std::vector<double> sample_together(const std::vector<Demand>& demands);

  Totals totals() const;
  void count_again(uint64_t commands);

private:
  double full_size(uint64_t bytes) const;  // of a buffer
  bool fits(int domain, double bytes) const REQUIRES(mutex_);
  struct Real {
    Nanoseconds began, done;
  };
  void count(const Demand& demand, const Span& span, Real real) REQUIRES(mutex_);
  Span run_on_device(const Demand& demand, Nanoseconds ready, const std::function<void()>& work);
  Span run_on_ports(const Demand& demand, Nanoseconds ready, const std::function<void()>& work);
  Real really(const Demand& demand, const std::function<void()>& work);

  const PlatformFile platform_;
  const Domains domains_;
  VirtualClock clock_;
  HostDebt host_{clock_};
  mutable Mutex mutex_;
  Durations durations_ GUARDED_BY(mutex_){platform_, domains_};
  Incidents incidents_ GUARDED_BY(mutex_){platform_, domains_, clock_};
  // The instants at which they become free; ports by domain.
  std::vector<Nanoseconds> device_free_ GUARDED_BY(mutex_);
  std::vector<Nanoseconds> out_free_ GUARDED_BY(mutex_), in_free_ GUARDED_BY(mutex_);
  std::vector<double> allocated_ GUARDED_BY(mutex_);  // by domain; bytes at full size
  // By domain; null without a common limit. The mutex guards the pointed-to objects, too.
  std::vector<std::unique_ptr<SharedBandwidth>> shared_;
  std::set<std::pair<int, uint64_t>> compiled_ GUARDED_BY(mutex_);  // by device
  Totals totals_ GUARDED_BY(mutex_);
};

}  // namespace mkmd::emulation
