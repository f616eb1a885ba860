// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/emulation/kernel_time.hpp"

#include <algorithm>
#include <cmath>
#include <fnmatch.h>

namespace mkmd::emulation {

namespace {

// The length of a loop with at most so many trips does not depend on the side. A reduction in local memory
// has some 6 to 10 trips, and the compiler guesses 16 where it cannot tell.
constexpr double kFewTrips = 16;

double bytes_rate(const platform::Device& d, const KernelCounts& c, const std::string& chosen) {
  if (chosen == "bytes_tiles" || (chosen.empty() && c.local_memory && c.trips <= kFewTrips))
    return d.rates.bytes_tiles;
  if (chosen == "bytes_rows" || (chosen.empty() && c.trips > kFewTrips)) return d.rates.bytes_rows;
  return d.rates.bytes;
}

}  // namespace

int exponent_of(const SizeScale& scale, double elements) {
  if (!scale.on() || elements <= 1) return 0;
  return static_cast<int>(std::clamp(std::round(std::log(elements) / std::log(scale.side())), 0.0, 3.0));
}

double full_bytes(const SizeScale& scale, double bytes, double buffer_bytes) {
  return bytes * std::pow(scale.factor, exponent_of(scale, buffer_bytes / sizeof(float)));
}

KernelCost kernel_cost(const PlatformFile& p, const platform::Device& d, const KernelCounts& c) {
  int exponent = exponent_of(p.size_scale, c.items * (c.trips > kFewTrips ? c.trips : 1.0));
  std::string rate;
  for (const KernelSpec& k : p.kernels) {
    if (fnmatch(k.pattern.c_str(), c.name.c_str(), 0) != 0) continue;
    if (k.exponent >= 0) exponent = k.exponent;
    rate = k.rate;
    break;
  }
  const double factor = p.size_scale.on() ? std::pow(p.size_scale.factor, exponent) : 1.0;
  const double compute = c.operations / d.rates.operations;
  const double memory = c.bytes / bytes_rate(d, c, rate);
  if (rate == "operations") return {compute * factor, 0};
  if (!rate.empty()) return {memory * factor, c.bytes * factor};
  return {std::max(compute, memory) * factor, c.bytes * factor};
}

}  // namespace mkmd::emulation
