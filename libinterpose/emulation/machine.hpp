// SPDX-License-Identifier: Apache-2.0
// The emulated machine: runs what it is given for real, and lets it take the time the platform file gives it.
// Each device, and each memory's port in either direction, has a chain of virtual time: an action starts when
// its device (or both its ports) is free and its inputs are ready, and its thread sleeps to its end, an
// absolute instant, so that late wake-ups do not add up. Real work that outlasts its emulated time is an
// overrun, and more than 1 % of them make the run void; work that was merely begun late, because a thread
// woke up late, shows in what the program measures. Thread-safe; one per process.
#pragma once

#include "libinterpose/emulation/kernel_time.hpp"
#include "libinterpose/emulation/shared_bandwidth.hpp"

#include <memory>
#include <set>

namespace mkmd::emulation {

// What an action asks of the machine.
struct Demand {
  enum class Kind { kernel, fill_or_copy, transfer };
  Kind kind = Kind::kernel;
  int device = 0;           // kernel, fill_or_copy
  KernelCounts counts;      // kernel: of the whole launch
  double share = 1;         // kernel: of its work-groups
  uint64_t code = 0;        // kernel: equal for launches that the driver compiles once
  int from = 0, to = 0;     // transfer: memory domains
  double bytes = 0;         // transfer, fill_or_copy: at the size that really runs
  double buffer_bytes = 0;  // of the buffer they are of
};

inline Demand transfer_demand(int from, int to, double bytes, double buffer_bytes) {
  Demand demand;
  demand.kind = Demand::Kind::transfer;
  demand.from = from;
  demand.to = to;
  demand.bytes = bytes;
  demand.buffer_bytes = buffer_bytes;
  return demand;
}

struct Span {
  Nanoseconds start = 0, end = 0;
  Nanoseconds working = 0;  // from when a device computes: the launch is over. What events call the start
  bool failed = false;      // the device failed before or meanwhile, or a memory was lost: nothing has run
  bool begun = false;       // of what failed on a device: it was under way, and may have written some bytes
};

struct Totals {
  uint64_t actions = 0;
  uint64_t overruns = 0;
  uint64_t again = 0;       // commands that were executed again, elsewhere, after a device had failed
  uint64_t refused = 0;     // allocations a full memory had no room for
  double late_seconds = 0;  // virtual, of the overruns
  bool valid() const { return overruns * 100 <= actions; }
};

// Work of our own on the host, by the calling thread, from here on. It is what the emulated clock and the
// thread's use of its core agree on: that clock stands while a driver compiles, and to wait for somebody
// else, who may be paying for work of his own, is no work.
class HostWork {
public:
  explicit HostWork(const VirtualClock& clock);
  double seconds() const;  // virtual, as they really passed

private:
  const VirtualClock& clock_;
  const Nanoseconds begin_;
  const Nanoseconds core_begin_;
};

class Machine {
public:
  explicit Machine(PlatformFile platform);

  const PlatformFile& platform() const { return platform_; }
  int device_count() const { return static_cast<int>(platform_.devices.size()); }
  int domain_of(int device) const { return domain_[device]; }
  int domain_count() const { return static_cast<int>(memory_of_domain_.size()); }

  VirtualClock& clock() { return clock_; }

  // Runs `work` as the action; it may not start before `ready`. Returns when the action's virtual time is
  // over.
  Span run(const Demand& demand, Nanoseconds ready, const std::function<void()>& work);

  // Whether the device has failed by now: nothing should be planned on it. A memory is lost with the last of
  // its devices.
  bool failed(int device) const;
  bool lost(int domain) const;

  // Memory for a buffer of so many bytes (at the size that really runs): false if the device is full. What is
  // had is given back with the buffer.
  bool allocate(int domain, uint64_t bytes);
  void release(int domain, uint64_t bytes);
  bool has_room(int domain, uint64_t bytes) const;

  // Our own time is not scaled down: the host's work takes scale times as long as it really did.
  void owe(const HostWork& work);         // to be paid with the next pay()
  Nanoseconds pay(const HostWork& work);  // the instant at which the work, and all that was owed, is done

  // What measuring this alone would give, jitter included: all of it (calibration), or what its event would
  // call the time from start to end (profiling).
  double sample(const Demand& demand);
  double sample_working(const Demand& demand);
  // What measuring these kernels gives if all start at once, each on a device of its own.
  std::vector<double> sample_together(const std::vector<Demand>& demands);

  Totals totals() const;
  void count_again(uint64_t commands);

private:
  double seconds_of(const Demand& demand, double& bytes, double& launch) REQUIRES(mutex_);
  double jitter(uint64_t& state) const;
  Nanoseconds slowed(int device, Nanoseconds start, double seconds) const REQUIRES(mutex_);
  Nanoseconds fails_at(int device) const REQUIRES(mutex_);
  Nanoseconds lost_at(int domain) const REQUIRES(mutex_);  // when the last device of the memory has failed
  bool has_passed(Nanoseconds instant) const REQUIRES(mutex_);
  bool fits(int domain, double bytes) const REQUIRES(mutex_);
  struct Real {
    Nanoseconds began, done;
  };
  void count(const Demand& demand, Nanoseconds start, Nanoseconds end, Real real) REQUIRES(mutex_);
  Span run_on_device(const Demand& demand, Nanoseconds ready, const std::function<void()>& work);
  Span run_on_ports(const Demand& demand, Nanoseconds ready, const std::function<void()>& work);
  Real really(const Demand& demand, const std::function<void()>& work);

  const PlatformFile platform_;
  std::vector<int> domain_;            // by device
  std::vector<int> memory_of_domain_;  // the file's number
  VirtualClock clock_;
  mutable Mutex mutex_;
  std::vector<Nanoseconds> device_free_ GUARDED_BY(mutex_);
  std::vector<Nanoseconds> out_free_ GUARDED_BY(mutex_), in_free_ GUARDED_BY(mutex_);  // by domain
  std::vector<double> allocated_ GUARDED_BY(mutex_);  // by domain; bytes at full size
  std::vector<uint64_t> device_random_ GUARDED_BY(mutex_), port_random_ GUARDED_BY(mutex_);
  // By domain; null without a common limit. What they point to is guarded, too.
  std::vector<std::unique_ptr<SharedBandwidth>> shared_;
  std::set<std::pair<int, uint64_t>> compiled_ GUARDED_BY(mutex_);  // by device
  Nanoseconds began_ GUARDED_BY(mutex_) = 0;                        // the first action; the origin of events
  double owed_ GUARDED_BY(mutex_) = 0;                              // virtual seconds
  Nanoseconds paid_ GUARDED_BY(mutex_) = 0;                         // when what was paid for last is done
  Totals totals_ GUARDED_BY(mutex_);
};

}  // namespace mkmd::emulation
