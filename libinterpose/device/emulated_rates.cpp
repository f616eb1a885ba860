// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/device/emulated_rates.hpp"

#include <algorithm>
#include <array>

namespace mkmd {

namespace {

using emulation::Demand;
using emulation::transfer_demand;

constexpr double kUnscaledSide = 512;

double median_of(emulation::Machine& machine, const Demand& demand) {
  std::array<double, 9> seconds{};
  for (double& sample : seconds)
    sample = machine.sample(demand);
  const auto middle = seconds.begin() + seconds.size() / 2;
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

double side_of(const emulation::Machine& machine) {
  const emulation::SizeScale& scale = machine.platform().size_scale;
  return scale.on() ? scale.side() : kUnscaledSide;
}

// Counts of the kernels of calibration.cpp, as our compiler reports them.
Demand kernel(int device, double items, double trips, double operations, double bytes) {
  Demand d;
  d.device = device;
  d.counts.items = items;
  d.counts.trips = trips;
  d.counts.operations = operations;
  d.counts.bytes = bytes;
  return d;
}

std::vector<DeviceRates> device_rates(emulation::Machine& machine) {
  const double n = side_of(machine);
  std::vector<DeviceRates> all;
  for (int d = 0; d < machine.device_count(); ++d) {
    DeviceRates rates;
    rates.kind = machine.platform().kind(d);
    const double empty = median_of(machine, kernel(d, 1, 0, 1, 4));
    const double compute = median_of(machine, kernel(d, n * n, n, n * n * n * 4, n * n * 4));
    const double stream = median_of(machine, kernel(d, n * n, 0, n * n * 2, n * n * 8));
    rates.launch_seconds = std::max(empty, 1e-7);
    rates.operations_per_second = n * n * n * 4 / std::max(compute - empty, 1e-9);
    rates.bytes_per_second = n * n * 8 / std::max(stream - empty, 1e-9);
    rates.copy_bytes_per_second = 1e15;  // the program's memory is the home's own
    rates.copy_seconds = 1e-9;
    all.push_back(std::move(rates));
  }
  return all;
}

std::vector<scheduler::Memory> shared_memories(emulation::Machine& machine) {
  const double n = side_of(machine);
  const double bytes = n * n * 8;
  std::vector<scheduler::Memory> memories;
  for (int mem = 0; mem < machine.domain_count(); ++mem) {
    std::vector<Demand> together;
    scheduler::Memory memory{.mem = mem};
    for (int d = 0; d < machine.device_count(); ++d) {
      if (machine.domain_of(d) != mem) continue;
      together.push_back(kernel(d, n * n, 0, n * n * 2, bytes));
      memory.bw_one = std::max(memory.bw_one, bytes / median_of(machine, together.back()));
    }
    if (together.size() < 2) continue;
    for (int i = 0; i < 9; ++i) {
      const std::vector<double> seconds = machine.sample_together(together);
      const double rate =
          bytes * static_cast<double>(together.size()) / *std::max_element(seconds.begin(), seconds.end());
      memory.bw_all = std::max(memory.bw_all, rate);
    }
    memories.push_back(memory);
  }
  return memories;
}

}  // namespace

Calibration emulated_rates(emulation::Machine& machine) {
  return {device_rates(machine), shared_memories(machine)};
}

std::vector<scheduler::Link> emulated_links(emulation::Machine& machine) {
  const double n = side_of(machine);
  std::vector<scheduler::Link> links;
  for (int from = 0; from < machine.domain_count(); ++from) {
    for (int to = 0; to < machine.domain_count(); ++to) {
      if (from == to) continue;
      const double little = median_of(machine, transfer_demand(from, to, 4, 4));
      const double much = median_of(machine, transfer_demand(from, to, n * n * 4, n * n * 4));
      links.push_back({from, to, n * n * 4 / std::max(much - little, 1e-9), little});
    }
  }
  return links;
}

}  // namespace mkmd
