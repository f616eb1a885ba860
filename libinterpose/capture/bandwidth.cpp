// SPDX-License-Identifier: Apache-2.0
// Memory bandwidth is a resource the devices of a memory share (Rule 16).
#include "libinterpose/capture/planner.hpp"
#include "libinterpose/emulation/machine.hpp"
#include "libinterpose/process.hpp"
#include "libinterpose/runtime/time_model.hpp"

#include <algorithm>

namespace mkmd {

// What a kernel touches and no cache holds goes through memory at least once.
double Planner::memory_bytes(const Task& task) {
  static const double cache = process().machine != nullptr
                                  ? 0
                                  : static_cast<double>(vendor::device_value<cl_ulong>(
                                        process().home.id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE));
  const KernelLaunch& launch = task.command->launch;
  double bytes = 0;
  for (const BufferUse& use : task.whole)
    bytes += static_cast<double>(use.reads.total() + use.writes.total());
  // Sets may be generous: no more bytes are distinct than are loaded and stored.
  if (!launch.kernel->info->cost.irregular) bytes = std::min(bytes, task.command->cost.bytes);
  return bytes <= cache ? 0 : bytes;
}

// How much earlier all devices together finished the kernel than the quickest would alone, when it was
// profiled: what they can do undisturbed, less what they lose to each other.
std::optional<double> Planner::profiled_gain(const Task& task) const {
  const KernelModel& model = runtime_.kernel_model(*task.command->launch.kernel);
  double launches_per_second = 0;
  double slower = 1;
  for (size_t d = 0; d < task.seconds.size(); ++d) {
    if (task.seconds[d] >= scheduler::kNever) continue;
    const auto together = runtime_.times_.together(model, task.command->cost, static_cast<int>(d));
    if (!together) return std::nullopt;
    slower = std::max(slower, *together);
    launches_per_second += 1 / task.seconds[d];
  }
  return launches_per_second * *std::min_element(task.seconds.begin(), task.seconds.end()) / slower;
}

// Rules 15 and 16: where all devices share one memory, whether they could finish together at least a tenth
// earlier than the quickest does alone.
bool Planner::bandwidth_allows_gain(const Task& task) const {
  constexpr double kGain = 1.1;
  if (process().domain_count > 1 || runtime_.regardless_of_gain()) return true;
  if (const auto gain = profiled_gain(task)) return *gain >= kGain;
  const scheduler::Memory* memory = shared_memory(0);
  if (task.bytes == 0 || memory == nullptr) return true;
  const double quickest = *std::min_element(task.seconds.begin(), task.seconds.end());
  // Where footprints are generous the time knows better.
  const double demand = std::min(task.bytes / quickest, memory->bw_one);
  return memory->bw_all >= kGain * demand;
}

}  // namespace mkmd
