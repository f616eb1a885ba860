// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/device/emulated_demands.hpp"

#include "common/hash.hpp"
#include "libinterpose/memory/argument_uses.hpp"

#include <algorithm>

namespace mkmd {

namespace {

using emulation::Demand;

bool has_local_memory(const KernelLaunch& launch) {
  if (launch.kernel->info()->local_bytes > 0) return true;
  return std::any_of(launch.arguments->begin(), launch.arguments->end(),
                     [](const KernelArgument& a) { return a.kind == KernelArgument::Kind::local; });
}

// PoCL compiles a kernel per local size, and anew for another program.
uint64_t code_of(const KernelLaunch& launch, bool ours) {
  uint64_t hash = short_hash_of(launch.kernel->name);
  for (const uint64_t fact : {uint64_t{reinterpret_cast<uintptr_t>(launch.kernel->program.get())},
                              uint64_t{ours}, uint64_t{launch.shape.work_dim}})
    hash = mix(hash, fact);
  for (const uint64_t local : launch.shape.local)
    hash = mix(hash, local);
  return hash;
}

double bytes_of(const BufferUses& uses) {
  double bytes = 0;
  for (const BufferUse& use : uses)
    bytes += static_cast<double>(use.reads.total()) + static_cast<double>(use.writes.total());
  return bytes;
}

// The distinct bytes that the whole launch uses. Counting them takes no emulated time.
double bytes_of(emulation::Machine& machine, const KernelLaunch& launch) {
  const emulation::VirtualClock::Stop stop(machine.clock());
  const auto footprints = launch.kernel->info()->split_allowed ? launch.facts->of(launch.whole())
                                                               : decltype(launch.facts->of({}))();
  return bytes_of(buffer_uses(*launch.arguments, footprints.get()));
}

Demand fill_or_copy(const Action& action, const Memory& root) {
  Demand demand;
  demand.kind = Demand::Kind::fill_or_copy;
  demand.device = action.lane->device;
  demand.bytes = bytes_of(action.uses);
  demand.buffer_bytes = static_cast<double>(root.size);
  return demand;
}

Demand transfer(const Action& action, int to, const Memory& root) {
  return emulation::transfer_demand(action.transfer.from_domain, to,
                                    static_cast<double>(action.transfer.bytes),
                                    static_cast<double>(root.size));
}

}  // namespace

Demand demand_of_piece(emulation::Machine& machine, int device, const KernelCommand& command, double share,
                       bool ours) {
  const KernelLaunch& launch = command.launch;
  Demand demand;
  demand.device = device;
  demand.share = share;
  demand.code = code_of(launch, ours);
  emulation::KernelCounts& counts = demand.counts;
  counts.name = launch.kernel->name;
  counts.local_memory = has_local_memory(launch);
  counts.operations = command.cost.operations;
  counts.items = 1;
  for (const uint64_t size : launch.shape.global)
    counts.items *= static_cast<double>(size);
  counts.trips = launch.facts->trips() / counts.items;
  counts.bytes = bytes_of(machine, launch);
  return demand;
}

std::optional<Demand> demand_of(emulation::Machine& machine, const Action& action) {
  if (!action.origin.owner)  // a transfer between memories
    return action.transfer.bytes > 0
               ? std::optional(transfer(action, action.lane->domain, *action.transfer.memory))
               : std::nullopt;
  using Asked = std::optional<Demand>;
  return std::visit(
      Visitor{[&](const KernelCommand& kernel) -> Asked {
                if (action.transfer.memory) return transfer(action, 0, *action.transfer.memory);
                if (action.piece.device < 0) return fill_or_copy(action, *action.uses.front().root);
                return demand_of_piece(machine, action.piece.device, kernel, action.piece.share,
                                       action.piece.ours);
              },
              [&](const ReadCommand& read) -> Asked {
                if (action.transfer.bytes == 0) return std::nullopt;  // from home
                return transfer(action, 0, read.source.root());
              },
              [](const WriteCommand&) -> Asked { return std::nullopt; },
              [&](const CopyCommand& copy) -> Asked { return fill_or_copy(action, copy.destination.root()); },
              [&](const FillCommand& fill) -> Asked { return fill_or_copy(action, fill.destination.root()); },
              [](const MarkerCommand&) -> Asked { return std::nullopt; }},
      command_of(action).what);
}

}  // namespace mkmd
