// SPDX-License-Identifier: Apache-2.0
// The time of one demand on the emulated machine, if nothing else is under way. It follows from the rates of
// the platform file. Each answer has a jitter of its own, drawn from the file's seed. Not
// thread-safe.
#pragma once

#include "libinterpose/emulation/demand.hpp"
#include "libinterpose/emulation/domains.hpp"

#include <cstdint>
#include <vector>

namespace mkmd::emulation {

struct Duration {
  double seconds = 0;
  // Of actions of a device: what of these is the launch, and the bytes that go to and from memory.
  double launch = 0;
  double bytes = 0;
};

class Durations {
public:
  Durations(const PlatformFile& platform, const Domains& domains);

  Duration of(const Demand& demand);
  // What measuring these kernels gives if all start at once, each on a device of its own.
  std::vector<double> together(const std::vector<Demand>& demands);

private:
  double jitter(uint64_t& state) const;

  const PlatformFile& platform_;
  const Domains& domains_;
  std::vector<uint64_t> device_random_, port_random_;
};

}  // namespace mkmd::emulation
