// SPDX-License-Identifier: Apache-2.0
// Memory bandwidth is a resource the devices of a memory share (Rule 16).
#include "libinterpose/capture/planner.hpp"
#include "libinterpose/emulation/machine.hpp"
#include "libinterpose/process.hpp"
#include "libinterpose/runtime/time_model.hpp"

#include <algorithm>

namespace mkmd {

// What a kernel must move for its devices to slow each other down as they did when it was profiled. Devices
// that want f times what the memory gives take f times as long; those that take no longer want less than
// that.
std::optional<double> Planner::profiled_bytes(const Task& task) const {
  constexpr double kUndisturbed = 1.05;  // measured times are never quite equal
  const scheduler::Memory* memory = shared_memory(0);
  if (process().domain_count > 1 || memory == nullptr) return std::nullopt;
  const KernelModel& model = runtime_.kernel_model(*task.command->launch.kernel);
  double launches_per_second = 0;  // all devices, if they did not disturb each other
  double slowest = 1;
  for (size_t d = 0; d < task.seconds.size(); ++d) {
    const auto together = runtime_.times_.together(model, static_cast<int>(d));
    if (!together) return std::nullopt;
    slowest = std::max(slowest, *together);
    launches_per_second += 1 / task.seconds[d];
  }
  return slowest < kUndisturbed ? 0 : slowest * memory->bw_all / launches_per_second;
}

// Without a profile: what a kernel touches and no cache holds goes through memory at least once.
double Planner::memory_bytes(const Task& task) const {
  if (const auto profiled = profiled_bytes(task)) return *profiled;
  static const double cache = process().machine != nullptr
                                  ? 0
                                  : static_cast<double>(vendor::device_value<cl_ulong>(
                                        process().home.id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE));
  uint64_t touched = 0;
  for (const BufferUse& use : task.whole)
    touched += use.reads.total() + use.writes.total();
  // Sets may be generous: no more bytes are distinct than are loaded and stored.
  const double bytes = std::min(static_cast<double>(touched), task.command->cost.bytes);
  return bytes <= cache ? 0 : bytes;
}

// Rules 15 and 16: where all devices share one memory, whether they could finish together at least a tenth
// earlier than the quickest does alone.
bool Planner::bandwidth_allows_gain(const Task& task) {
  constexpr double kGain = 1.1;
  if (process().domain_count > 1 || task.bytes == 0) return true;
  const scheduler::Memory* memory = shared_memory(0);
  if (memory == nullptr) return true;
  const double quickest = *std::min_element(task.seconds.begin(), task.seconds.end());
  // Where footprints are generous the time knows better.
  const double demand = std::min(task.bytes / quickest, memory->bw_one);
  return memory->bw_all >= kGain * demand;
}

}  // namespace mkmd
