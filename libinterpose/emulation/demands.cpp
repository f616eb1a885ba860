// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/emulation/demands.hpp"

#include "common/hash.hpp"
#include "common/log.hpp"
#include "libinterpose/emulation/report.hpp"
#include "libinterpose/memory/argument_uses.hpp"
#include "libinterpose/process.hpp"
#include "libinterpose/runtime/profile.hpp"

#include <nlohmann/json.hpp>

#include <atomic>
#include <cstdio>

namespace mkmd {

namespace {

using emulation::Demand;

bool has_local_memory(const KernelLaunch& launch) {
  if (launch.kernel->info->local_bytes > 0) return true;
  return std::any_of(launch.arguments->begin(), launch.arguments->end(),
                     [](const KernelArgument& a) { return a.kind == KernelArgument::Kind::local; });
}

// PoCL compiles a kernel per local size, and anew for another program.
uint64_t code_of(const Command& c, bool boxed) {
  const KernelLaunch& launch = c.launch;
  uint64_t hash = short_hash_of(launch.kernel->name);
  for (const uint64_t fact : {uint64_t{reinterpret_cast<uintptr_t>(launch.kernel->program.get())},
                              uint64_t{boxed}, uint64_t{launch.shape.work_dim}})
    hash = mix(hash, fact);
  for (const uint64_t local : launch.shape.local)
    hash = mix(hash, local);
  return hash;
}

}  // namespace

double emulated_bytes(const KernelLaunch& launch, bool boxed) {
  emulation::Machine* machine = process().machine;
  if (machine == nullptr) return 0;
  const emulation::VirtualClock::Stop stop(machine->clock());
  const auto footprints = boxed ? launch.facts->of(launch.whole()) : nullptr;
  double bytes = 0;
  for (const BufferUse& use : buffer_uses(*launch.arguments, footprints.get()))
    bytes += static_cast<double>(use.reads.total()) + static_cast<double>(use.writes.total());
  return bytes;
}

std::unique_ptr<Demand> emulated_piece(int device, const Command& c, double bytes, double share, bool boxed) {
  if (process().machine == nullptr) return nullptr;
  const KernelLaunch& launch = c.launch;
  auto demand = std::make_unique<Demand>();
  demand->device = device;
  demand->share = share;
  demand->code = code_of(c, boxed);
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

std::unique_ptr<Demand> emulated_transfer(int from, int to, uint64_t bytes, const Memory& root) {
  if (process().machine == nullptr) return nullptr;
  return std::make_unique<Demand>(
      emulation::transfer_demand(from, to, static_cast<double>(bytes), static_cast<double>(root.size)));
}

std::unique_ptr<Demand> emulated_fill_or_copy(int device, const Command& c, uint64_t bytes) {
  if (process().machine == nullptr) return nullptr;
  auto demand = std::make_unique<Demand>();
  demand->kind = Demand::Kind::fill_or_copy;
  demand->device = device;
  demand->bytes = static_cast<double>(bytes) * (c.kind == Command::Kind::copy ? 2 : 1);
  demand->buffer_bytes = static_cast<double>(c.destination->root()->size);
  return demand;
}

void note_not_emulated() {
  static std::atomic<bool> said{false};
  if (process().machine == nullptr || profiling() || said.exchange(true)) return;
  log(LogLevel::warning,
      "some commands cannot be captured and run at home at its real speed: the emulated time excludes them");
}

nlohmann::json emulation_summary() {
  emulation::Machine* machine = process().machine;
  if (machine == nullptr) return nullptr;
  const emulation::Totals t = machine->totals();
  return {{"platform", machine->platform().file},
          {"time_scale", machine->clock().scale()},
          {"actions", t.actions},
          {"overruns", t.overruns},
          {"late_seconds", t.late_seconds},
          {"again", t.again},
          {"refused", t.refused},
          {"valid", t.valid()}};
}

void report_emulation() {
  emulation::Machine* machine = process().machine;
  if (machine == nullptr) return;
  const emulation::Totals t = machine->totals();
  if (t.valid()) return;
  char line[256];
  std::snprintf(
      line, sizeof line,
      "this emulated run is void: %llu of %llu actions (%.1f %%; 1 %% is allowed) took longer on this "
      "machine than on the emulated one; give a larger time_scale (now %g)",
      static_cast<unsigned long long>(t.overruns), static_cast<unsigned long long>(t.actions),
      100.0 * static_cast<double>(t.overruns) / static_cast<double>(t.actions), machine->clock().scale());
  log(LogLevel::warning, line);
}

}  // namespace mkmd
