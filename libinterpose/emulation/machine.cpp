// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/emulation/machine.hpp"

#include "common/log.hpp"

#include <algorithm>
#include <optional>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace mkmd::emulation {

namespace {

// As in sched_setattr(2). The C library does not declare it.
struct SchedulingAttributes {
  uint32_t size, policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime, deadline, period;
};

// By default Linux lengthens the sleep of a thread by 50 µs. A thread that wakes up may wait some
// milliseconds for the end of a running thread's slice. It does not if it has asked for shorter slices
// (Linux 6.12 and later; ignored before). Only threads of ours come here.
bool ask_for_precision() {
  prctl(PR_SET_TIMERSLACK, 1000UL);
  SchedulingAttributes attributes{};
  attributes.size = sizeof attributes;
  attributes.runtime = 100'000;  // nanoseconds, the shortest
  return syscall(SYS_sched_setattr, 0, &attributes, 0U) == 0;
}

void sleep_precisely() {
  thread_local const bool once = ask_for_precision();
  (void)once;
}

}  // namespace

Machine::Machine(PlatformFile platform)
    : platform_(std::move(platform)), domains_(platform_), clock_(platform_.time_scale) {
  device_free_.assign(platform_.devices.size(), 0);
  out_free_.assign(domains_.memory.size(), 0);
  in_free_.assign(domains_.memory.size(), 0);
  allocated_.assign(domains_.memory.size(), 0);
  for (const int memory : domains_.memory) {
    const double limit = platform_.bw_all(memory);
    shared_.push_back(limit > 0 ? std::make_unique<SharedBandwidth>(limit) : nullptr);
  }
}

bool Machine::failed(int device) const {
  const Lock lock(mutex_);
  return incidents_.has_passed(incidents_.fails_at(device));
}

bool Machine::lost(int domain) const {
  const Lock lock(mutex_);
  return incidents_.has_passed(incidents_.lost_at(domain));
}

double Machine::full_size(uint64_t bytes) const {
  const auto size = static_cast<double>(bytes);
  return full_bytes(platform_.size_scale, size, size);
}

bool Machine::fits(int domain, double bytes) const {
  return allocated_[domain] + bytes <= incidents_.bytes_of(domain);
}

bool Machine::has_room(int domain, uint64_t bytes) const {
  const Lock lock(mutex_);
  return fits(domain, full_size(bytes));
}

bool Machine::allocate(int domain, uint64_t bytes) {
  const double size = full_size(bytes);
  const Lock lock(mutex_);
  if (!fits(domain, size)) {
    ++totals_.refused;
    return false;
  }
  allocated_[domain] += size;
  return true;
}

void Machine::release(int domain, uint64_t bytes) {
  const Lock lock(mutex_);
  allocated_[domain] -= full_size(bytes);
}

void Machine::count(const Demand& d, const Span& span, Real real) {
  ++totals_.actions;
  const auto [start, end] = std::pair(span.start, span.end);
  const Nanoseconds done = real.done;
  if (done <= end || done - real.began <= end - start) return;
  ++totals_.overruns;
  totals_.late_seconds += static_cast<double>(done - end) * 1e-9;
  if (!log_enabled(LogLevel::info)) return;
  const std::string what = d.kind == Demand::Kind::transfer
                               ? "a transfer of " + std::to_string(static_cast<uint64_t>(d.bytes)) + " bytes"
                           : d.kind == Demand::Kind::kernel
                               ? d.counts.name + " on " + platform_.devices[d.device].name
                               : "a fill or copy";
  log(LogLevel::info, what + " really took longer than its " + std::to_string((end - start) / 1000) +
                          " emulated microseconds, by " + std::to_string((done - end) / 1000));
}

// The first launch of a kernel makes the driver compile it, which takes no emulated time.
Machine::Real Machine::really(const Demand& d, const std::function<void()>& work) {
  bool compiles = false;
  if (d.kind == Demand::Kind::kernel) {
    const Lock lock(mutex_);
    compiles = compiled_.emplace(d.device, d.code).second;
  }
  std::optional<VirtualClock::Stop> stop;
  if (compiles) stop.emplace(clock_);
  const Nanoseconds began = clock_.now();
  work();
  return {began, clock_.now()};
}

Span Machine::run_on_device(const Demand& d, Nanoseconds ready, const std::function<void()>& work) {
  Span span;
  SharedBandwidth* const shared = shared_[domains_.of_device[d.device]].get();
  int number = 0;
  {
    const Lock lock(mutex_);
    const Duration alone = durations_.of(d);
    const Nanoseconds fails = incidents_.fails_at(d.device);
    span.start = std::max(device_free_[d.device], ready);
    span.end = incidents_.slowed(d.device, span.start, alone.seconds);
    span.failed = span.end > fails;
    span.begun = span.failed && span.start < fails;
    if (span.failed) span.end = std::max(span.start, fails);
    span.working = std::min(span.start + nanoseconds(alone.launch), span.end);
    device_free_[d.device] = span.end;  // two contexts may use the device
    if (shared != nullptr && !span.failed)
      number = shared->begin(span.start, static_cast<double>(span.end - span.start) * 1e-9, alone.bytes);
  }
  if (span.failed) {
    clock_.sleep_until(span.end);
    return span;
  }
  if (shared != nullptr) clock_.changed();  // the others go slower from now on
  const Real real = really(d, work);
  if (shared != nullptr) {
    clock_.sleep_until([&] {
      const Lock lock(mutex_);
      return shared->end_of(number);
    });
  } else {
    clock_.sleep_until(span.end);
  }
  const Lock lock(mutex_);
  if (shared != nullptr) {
    span.end = shared->end_of(number);
    shared->forget(number);
  }
  device_free_[d.device] = span.end;
  count(d, span, real);
  return span;
}

Span Machine::run_on_ports(const Demand& d, Nanoseconds ready, const std::function<void()>& work) {
  Span span;
  {
    const Lock lock(mutex_);
    span.start = span.working = std::max({out_free_[d.from], in_free_[d.to], ready});
    span.end = span.start + nanoseconds(durations_.of(d).seconds);
    out_free_[d.from] = in_free_[d.to] = span.end;
    const Nanoseconds lost = std::min(incidents_.lost_at(d.from), incidents_.lost_at(d.to));
    span.failed = span.end > lost;
    if (span.failed) span.end = std::max(span.start, lost);
  }
  if (span.failed) {
    clock_.sleep_until(span.end);
    return span;
  }
  const Real real = really(d, work);
  clock_.sleep_until(span.end);
  const Lock lock(mutex_);
  count(d, span, real);
  return span;
}

Span Machine::run(const Demand& d, Nanoseconds ready, const std::function<void()>& work) {
  sleep_precisely();
  {
    const Lock lock(mutex_);
    incidents_.begin(ready);
  }
  return d.kind == Demand::Kind::transfer ? run_on_ports(d, ready, work) : run_on_device(d, ready, work);
}

double Machine::sample(const Demand& d) {
  const Lock lock(mutex_);
  return durations_.of(d).seconds;
}

double Machine::sample_working(const Demand& d) {
  const Lock lock(mutex_);
  const Duration alone = durations_.of(d);
  return alone.seconds - alone.launch;
}

std::vector<double> Machine::sample_together(const std::vector<Demand>& demands) {
  const Lock lock(mutex_);
  return durations_.together(demands);
}

void Machine::count_again(uint64_t commands) {
  const Lock lock(mutex_);
  totals_.again += commands;
}

Totals Machine::totals() const {
  const Lock lock(mutex_);
  return totals_;
}

}  // namespace mkmd::emulation
