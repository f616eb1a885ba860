// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/commands/emulated_demands.hpp"

#include "common/hash.hpp"
#include "libinterpose/memory/argument_uses.hpp"

#include <algorithm>

namespace mkmd {

namespace {

using emulation::Demand;

bool has_local_memory(const KernelLaunch& launch) {
  if (launch.kernel->info->local_bytes > 0) return true;
  return std::any_of(launch.arguments->begin(), launch.arguments->end(),
                     [](const KernelArgument& a) { return a.kind == KernelArgument::Kind::local; });
}

// PoCL compiles a kernel per local size, and anew for another program.
uint64_t code_of(const KernelLaunch& launch, bool boxed) {
  uint64_t hash = short_hash_of(launch.kernel->name);
  for (const uint64_t fact : {uint64_t{reinterpret_cast<uintptr_t>(launch.kernel->program.get())},
                              uint64_t{boxed}, uint64_t{launch.shape.work_dim}})
    hash = mix(hash, fact);
  for (const uint64_t local : launch.shape.local)
    hash = mix(hash, local);
  return hash;
}

}  // namespace

double emulated_bytes(emulation::Machine* machine, const KernelLaunch& launch, bool boxed) {
  if (machine == nullptr) return 0;
  const emulation::VirtualClock::Stop stop(machine->clock());
  const auto footprints = boxed ? launch.facts->of(launch.whole()) : nullptr;
  double bytes = 0;
  for (const BufferUse& use : buffer_uses(*launch.arguments, footprints.get()))
    bytes += static_cast<double>(use.reads.total()) + static_cast<double>(use.writes.total());
  return bytes;
}

std::unique_ptr<Demand> emulated_piece(const emulation::Machine* machine, int device, const KernelCommand& c,
                                       double bytes, double share, bool boxed) {
  if (machine == nullptr) return nullptr;
  const KernelLaunch& launch = c.launch;
  auto demand = std::make_unique<Demand>();
  demand->device = device;
  demand->share = share;
  demand->code = code_of(launch, boxed);
  emulation::KernelCounts& counts = demand->counts;
  counts.name = launch.kernel->name;
  counts.local_memory = has_local_memory(launch);
  counts.operations = c.cost.operations;
  counts.items = 1;
  for (const uint64_t size : launch.shape.global)
    counts.items *= static_cast<double>(size);
  counts.trips = launch.facts->trips() / counts.items;
  counts.bytes = bytes;
  return demand;
}

std::unique_ptr<Demand> emulated_transfer(const emulation::Machine* machine, int from, int to, uint64_t bytes,
                                          const Memory& root) {
  if (machine == nullptr) return nullptr;
  return std::make_unique<Demand>(
      emulation::transfer_demand(from, to, static_cast<double>(bytes), static_cast<double>(root.size)));
}

std::unique_ptr<Demand> emulated_fill_or_copy(const emulation::Machine* machine, int device, uint64_t bytes,
                                              const Memory& root) {
  if (machine == nullptr) return nullptr;
  auto demand = std::make_unique<Demand>();
  demand->kind = Demand::Kind::fill_or_copy;
  demand->device = device;
  demand->bytes = static_cast<double>(bytes);
  demand->buffer_bytes = static_cast<double>(root.size);
  return demand;
}

}  // namespace mkmd
