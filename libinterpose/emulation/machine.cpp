// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/emulation/machine.hpp"

#include "common/log.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <map>
#include <optional>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace mkmd::emulation {

namespace {

constexpr Nanoseconds kNeverFails = std::numeric_limits<Nanoseconds>::max();

// As sched_setattr(2) has it; the C library declares neither.
struct SchedulingAttributes {
  uint32_t size, policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime, deadline, period;
};

// Linux rounds the sleep of a thread up by 50 µs unless told otherwise, and lets one that wakes up wait for
// the end of a running thread's slice, some milliseconds, unless it asks for shorter slices itself (from 6.12
// on; ignored before). Only threads of ours come here.
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

// By the calling thread, in all.
Nanoseconds used_of_core() {
  timespec used;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<Nanoseconds>(used.tv_sec) * 1'000'000'000 + static_cast<Nanoseconds>(used.tv_nsec);
}

uint64_t next_random(uint64_t& state) {  // splitmix64
  uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

Machine::Machine(PlatformFile platform) : platform_(std::move(platform)), clock_(platform_.time_scale) {
  for (const platform::Device& d : platform_.devices) {
    const auto known = std::find(memory_of_domain_.begin(), memory_of_domain_.end(), d.mem);
    domain_.push_back(static_cast<int>(known - memory_of_domain_.begin()));
    if (known == memory_of_domain_.end()) memory_of_domain_.push_back(d.mem);
  }
  const size_t devices = platform_.devices.size();
  device_free_.assign(devices, 0);
  for (size_t d = 0; d < devices; ++d)
    device_random_.push_back(platform_.seed * 1000 + d);
  out_free_.assign(memory_of_domain_.size(), 0);
  in_free_.assign(memory_of_domain_.size(), 0);
  allocated_.assign(memory_of_domain_.size(), 0);
  for (size_t m = 0; m < memory_of_domain_.size(); ++m) {
    port_random_.push_back(platform_.seed * 1000 + 500 + m);
    const double limit = platform_.bw_all(memory_of_domain_[m]);
    shared_.push_back(limit > 0 ? std::make_unique<SharedBandwidth>(limit) : nullptr);
  }
}

double Machine::jitter(uint64_t& state) const {
  const double even = static_cast<double>(next_random(state) >> 11) * 0x1p-53;
  return 1 + platform_.jitter * (2 * even - 1);
}

// `bytes` that go to and from memory, and what of the time is the launch, for actions of a device.
double Machine::seconds_of(const Demand& d, double& bytes, double& launch) {
  const SizeScale& scale = platform_.size_scale;
  if (d.kind == Demand::Kind::transfer) {
    const platform::Link link = platform_.link(memory_of_domain_[d.from], memory_of_domain_[d.to]);
    bytes = launch = 0;
    return (link.lat + full_bytes(scale, d.bytes, d.buffer_bytes) / link.bw) * jitter(port_random_[d.to]);
  }
  const platform::Device& device = platform_.devices[d.device];
  double seconds = 0;
  if (d.kind == Demand::Kind::kernel) {
    const KernelCost cost = kernel_cost(platform_, device, d.counts);
    seconds = cost.seconds * d.share;
    bytes = cost.bytes * d.share;
  } else {
    bytes = full_bytes(scale, d.bytes, d.buffer_bytes);
    seconds = bytes / device.rates.bytes;
  }
  const double varied = jitter(device_random_[d.device]);
  launch = device.launch * varied;
  return launch + seconds * varied;
}

Nanoseconds Machine::slowed(int device, Nanoseconds start, double seconds) const {
  double factor = 1;
  auto at = static_cast<double>(start);
  double left = seconds * 1e9;
  for (const EventSpec& e : platform_.events) {
    if (e.device != device || e.kind != EventSpec::Kind::slows) continue;
    const double event = static_cast<double>(began_) + e.at * 1e9;
    if (event > at) {
      if (at + left * factor <= event) break;
      left -= (event - at) / factor;
      at = event;
    }
    factor = e.factor;
  }
  return static_cast<Nanoseconds>(at + left * factor + 0.5);
}

Nanoseconds Machine::fails_at(int device) const {
  for (const EventSpec& e : platform_.events) {
    if (e.device == device && e.kind == EventSpec::Kind::fails) return began_ + nanoseconds(e.at);
  }
  return kNeverFails;
}

Nanoseconds Machine::lost_at(int domain) const {
  Nanoseconds last = 0;
  for (int d = 0; d < device_count(); ++d) {
    if (domain_[d] == domain) last = std::max(last, fails_at(d));
  }
  return last;
}

// Before the first action there is no origin yet: only what happens at once has happened.
bool Machine::has_passed(Nanoseconds instant) const {
  return began_ == 0 ? instant == 0 : clock_.now() >= instant;
}

bool Machine::failed(int device) const {
  const Lock lock(mutex_);
  return has_passed(fails_at(device));
}

bool Machine::lost(int domain) const {
  const Lock lock(mutex_);
  return has_passed(lost_at(domain));
}

bool Machine::fits(int domain, double bytes) const {
  for (auto e = platform_.events.rbegin(); e != platform_.events.rend(); ++e) {
    if (e->kind == EventSpec::Kind::has && domain_[e->device] == domain &&
        has_passed(began_ + nanoseconds(e->at)))
      return allocated_[domain] + bytes <= e->bytes;
  }
  return true;
}

bool Machine::has_room(int domain, uint64_t bytes) const {
  const auto size = static_cast<double>(bytes);
  const Lock lock(mutex_);
  return fits(domain, full_bytes(platform_.size_scale, size, size));
}

bool Machine::allocate(int domain, uint64_t bytes) {
  const double size =
      full_bytes(platform_.size_scale, static_cast<double>(bytes), static_cast<double>(bytes));
  const Lock lock(mutex_);
  if (!fits(domain, size)) {
    ++totals_.refused;
    return false;
  }
  allocated_[domain] += size;
  return true;
}

void Machine::release(int domain, uint64_t bytes) {
  const double size =
      full_bytes(platform_.size_scale, static_cast<double>(bytes), static_cast<double>(bytes));
  const Lock lock(mutex_);
  allocated_[domain] -= size;
}

void Machine::count(const Demand& d, Nanoseconds start, Nanoseconds end, Real real) {
  ++totals_.actions;
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
  SharedBandwidth* const shared = shared_[domain_[d.device]].get();
  int number = 0;
  {
    const Lock lock(mutex_);
    double bytes = 0;
    double launch = 0;
    const double seconds = seconds_of(d, bytes, launch);
    span.start = std::max(device_free_[d.device], ready);
    span.end = slowed(d.device, span.start, seconds);
    span.failed = span.end > fails_at(d.device);
    span.begun = span.failed && span.start < fails_at(d.device);
    if (span.failed) span.end = std::max(span.start, fails_at(d.device));
    span.working = std::min(span.start + nanoseconds(launch), span.end);
    device_free_[d.device] = span.end;  // two contexts may use the device
    if (shared != nullptr && !span.failed)
      number = shared->begin(span.start, static_cast<double>(span.end - span.start) * 1e-9, bytes);
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
  count(d, span.start, span.end, real);
  return span;
}

Span Machine::run_on_ports(const Demand& d, Nanoseconds ready, const std::function<void()>& work) {
  Span span;
  {
    const Lock lock(mutex_);
    double bytes = 0;
    double launch = 0;
    const double seconds = seconds_of(d, bytes, launch);
    span.start = span.working = std::max({out_free_[d.from], in_free_[d.to], ready});
    span.end = span.start + nanoseconds(seconds);
    out_free_[d.from] = in_free_[d.to] = span.end;
    const Nanoseconds lost = std::min(lost_at(d.from), lost_at(d.to));
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
  count(d, span.start, span.end, real);
  return span;
}

Span Machine::run(const Demand& d, Nanoseconds ready, const std::function<void()>& work) {
  sleep_precisely();
  {
    const Lock lock(mutex_);
    if (began_ == 0) began_ = ready;
  }
  return d.kind == Demand::Kind::transfer ? run_on_ports(d, ready, work) : run_on_device(d, ready, work);
}

HostWork::HostWork(const VirtualClock& clock)
    : clock_(clock), begin_(clock.now()), core_begin_(used_of_core()) {}

double HostWork::seconds() const {
  const auto passed = static_cast<double>(clock_.now() - begin_);
  const auto used = static_cast<double>(used_of_core() - core_begin_) / clock_.scale();
  return std::min(passed, used) * 1e-9;
}

void Machine::owe(const HostWork& work) {
  const double seconds = work.seconds();
  const Lock lock(mutex_);
  owed_ += seconds * (clock_.scale() - 1);
}

Nanoseconds Machine::pay(const HostWork& work) {
  owe(work);
  const Nanoseconds now = clock_.now();
  const Lock lock(mutex_);
  paid_ = std::max(paid_, now) + nanoseconds(std::exchange(owed_, 0.0));
  return paid_;
}

double Machine::sample(const Demand& d) {
  const Lock lock(mutex_);
  double bytes = 0;
  double launch = 0;
  return seconds_of(d, bytes, launch);
}

double Machine::sample_working(const Demand& d) {
  const Lock lock(mutex_);
  double bytes = 0;
  double launch = 0;
  const double seconds = seconds_of(d, bytes, launch);
  return seconds - launch;
}

std::vector<double> Machine::sample_together(const std::vector<Demand>& demands) {
  const Lock lock(mutex_);
  std::map<int, SharedBandwidth> shared;  // by domain
  std::vector<double> seconds;
  std::vector<int> work;
  for (const Demand& d : demands) {
    double bytes = 0;
    double launch = 0;
    seconds.push_back(seconds_of(d, bytes, launch));
    work.push_back(-1);
    const double limit = platform_.bw_all(memory_of_domain_[domain_[d.device]]);
    if (limit > 0)
      work.back() =
          shared.try_emplace(domain_[d.device], limit).first->second.begin(0, seconds.back(), bytes);
  }
  for (size_t i = 0; i < demands.size(); ++i) {
    if (work[i] < 0) continue;
    seconds[i] = static_cast<double>(shared.at(domain_[demands[i].device]).end_of(work[i])) * 1e-9;
  }
  return seconds;
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
