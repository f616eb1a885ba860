// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/emulation/durations.hpp"

#include "libinterpose/emulation/shared_bandwidth.hpp"

#include <map>

namespace mkmd::emulation {

namespace {

uint64_t next_random(uint64_t& state) {  // splitmix64
  uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

Durations::Durations(const PlatformFile& platform, const Domains& domains)
    : platform_(platform), domains_(domains) {
  for (size_t d = 0; d < platform_.devices.size(); ++d)
    device_random_.push_back(platform_.seed * 1000 + d);
  for (size_t m = 0; m < domains_.memory.size(); ++m)
    port_random_.push_back(platform_.seed * 1000 + 500 + m);
}

double Durations::jitter(uint64_t& state) const {
  const double even = static_cast<double>(next_random(state) >> 11) * 0x1p-53;
  return 1 + platform_.jitter * (2 * even - 1);
}

Duration Durations::of(const Demand& d) {
  const SizeScale& scale = platform_.size_scale;
  if (d.kind == Demand::Kind::transfer) {
    const platform::Link link = platform_.link(domains_.memory[d.from], domains_.memory[d.to]);
    const double seconds = link.lat + full_bytes(scale, d.bytes, d.buffer_bytes) / link.bw;
    return {.seconds = seconds * jitter(port_random_[d.to])};
  }
  const platform::Device& device = platform_.devices[d.device];
  Duration duration;
  double seconds = 0;
  if (d.kind == Demand::Kind::kernel) {
    const KernelCost cost = kernel_cost(platform_, device, d.counts);
    seconds = cost.seconds * d.share;
    duration.bytes = cost.bytes * d.share;
  } else {
    duration.bytes = full_bytes(scale, d.bytes, d.buffer_bytes);
    seconds = duration.bytes / device.rates.bytes;
  }
  const double varied = jitter(device_random_[d.device]);
  duration.launch = device.launch * varied;
  duration.seconds = duration.launch + seconds * varied;
  return duration;
}

std::vector<double> Durations::together(const std::vector<Demand>& demands) {
  std::map<int, SharedBandwidth> shared;  // by domain
  std::vector<double> seconds;
  std::vector<int> work;
  for (const Demand& d : demands) {
    const Duration alone = of(d);
    seconds.push_back(alone.seconds);
    work.push_back(-1);
    const int domain = domains_.of_device[d.device];
    const double limit = platform_.bw_all(domains_.memory[domain]);
    if (limit > 0)
      work.back() = shared.try_emplace(domain, limit).first->second.begin(0, alone.seconds, alone.bytes);
  }
  for (size_t i = 0; i < demands.size(); ++i) {
    if (work[i] < 0) continue;
    const SharedBandwidth& bandwidth = shared.at(domains_.of_device[demands[i].device]);
    seconds[i] = static_cast<double>(bandwidth.end_of(work[i])) * 1e-9;
  }
  return seconds;
}

}  // namespace mkmd::emulation
