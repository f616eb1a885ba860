// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/planning/bandwidth.hpp"

#include <algorithm>

namespace mkmd::planning {

namespace {

// The speed-up of all devices together over the quickest alone, when the kernel was profiled. It is the sum
// of their speeds, divided by the largest slow-down that they cause each other.
std::optional<double> profiled_gain(const Task& task) {
  if (task.kernel.together.empty()) return std::nullopt;
  double launches_per_second = 0;
  double slower = 1;
  for (size_t d = 0; d < task.seconds.size(); ++d) {
    if (task.seconds[d] >= scheduler::kNever) continue;
    slower = std::max(slower, task.kernel.together[d]);
    launches_per_second += 1 / task.seconds[d];
  }
  return launches_per_second * *std::min_element(task.seconds.begin(), task.seconds.end()) / slower;
}

}  // namespace

const scheduler::Memory* home_memory(const Machine& machine) {
  const auto& memories = machine.platform.memories;
  const auto found = std::find_if(memories.begin(), memories.end(), [](const auto& m) { return m.mem == 0; });
  return found != memories.end() ? &*found : nullptr;
}

// What a kernel touches and no cache holds goes through memory at least once.
double memory_bytes(const PlannedTask& of, const Machine& machine) {
  double bytes = 0;
  for (const BufferUse& use : of.whole)
    bytes += static_cast<double>(use.reads.total() + use.writes.total());
  // Sets may be generous: no more bytes are distinct than are loaded and stored.
  bytes = std::min(bytes, of.task.kernel.most_bytes);
  return bytes <= machine.cache ? 0 : bytes;
}

bool bandwidth_allows_gain(const PlannedTask& of, const Machine& machine) {
  constexpr double kGain = 1.1;
  if (machine.separate_memories() || machine.regardless_of_gain) return true;
  if (const auto gain = profiled_gain(of.task)) return *gain >= kGain;
  const scheduler::Memory* const memory = home_memory(machine);
  if (of.bytes == 0 || memory == nullptr) return true;
  const double quickest = *std::min_element(of.task.seconds.begin(), of.task.seconds.end());
  // Where footprints are generous the time knows better.
  const double demand = std::min(of.bytes / quickest, memory->bw_one);
  return memory->bw_all >= kGain * demand;
}

}  // namespace mkmd::planning
