// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/planning/turns.hpp"

#include "libinterpose/planning/placement.hpp"

#include <limits>
#include <map>

namespace mkmd::planning {

namespace {

bool is_offered(const Task& task) {
  return task.is_kernel() && task.understood && task.redo.empty();
}

// What kernels of a window need in the memory of each team and do not find there.
class Missing {
public:
  Missing(const Machine& machine, const BufferOf& buffer_of, const timing::Rivalry& rivalry)
      : machine_(machine), buffer_of_(buffer_of) {
    for (size_t d = 0; d < machine.device_count(); ++d) {
      const int team = rivalry.team_of(static_cast<int>(d));
      if (team > 0) first_of_team_.try_emplace(team, static_cast<int>(d));
    }
  }

  void add(const Task& task) {
    if (task.kind == CommandKind::write) {
      Bytes& of = buffers_[task.destination];
      of.from_host.unite(own_bytes(task));
      of.made.subtract(own_bytes(task));
    } else if (is_offered(task)) {
      for (const BufferUse& use : task.uses_of(task.whole(), kFewBlocks))
        add(use, task.is_long());
    }
  }

  // By team.
  std::vector<double> copy_seconds() const {
    std::vector<double> seconds(first_of_team_.empty() ? 1 : first_of_team_.rbegin()->first + 1, 0.0);
    for (const auto& [team, device] : first_of_team_) {
      const int domain = machine_.domain_of(device);
      for (const auto& [root, of] : buffers_) {
        ByteRanges there = buffer_of_(root).residency->valid(domain);
        if (domain != 0) there.subtract(of.from_host);
        ByteRanges missing = of.needed;
        missing.subtract(there);
        if (!missing.empty()) seconds[team] += copy(device, static_cast<double>(missing.total()));
      }
    }
    return seconds;
  }

private:
  struct Bytes {
    ByteRanges needed, made, from_host;
  };

  void add(const BufferUse& use, bool counts) {
    Bytes& of = buffers_[use.root];
    ByteRanges needed = use.needed;
    needed.subtract(of.made);
    if (counts) of.needed.unite(needed);
    of.made.unite(use.writes);
  }

  double copy(int device, double bytes) const {
    int other = 0;  // any device in another memory
    while (other < static_cast<int>(machine_.device_count()) - 1 &&
           machine_.domain_of(other) == machine_.domain_of(device))
      ++other;
    if (machine_.copy_seconds != nullptr) return machine_.copy_seconds(other, device, bytes);
    return machine_.platform.lat + bytes / machine_.platform.bw;
  }

  const Machine& machine_;
  const BufferOf& buffer_of_;
  std::map<int, int> first_of_team_;
  std::map<Memory*, Bytes> buffers_;
};

timing::Rivalry::Kernel kernel_of(const Task& task) {
  timing::Rivalry::Kernel kernel{task.seconds, task.samples};
  for (double& seconds : kernel.seconds) {
    if (seconds >= scheduler::kNever) seconds = std::numeric_limits<double>::infinity();
  }
  return kernel;
}

}  // namespace

void offer_to(int team, Task& task, const timing::Rivalry& rivalry) {
  std::vector<double> seconds = task.seconds;
  bool any = false;
  for (size_t d = 0; d < seconds.size(); ++d) {
    const int other = rivalry.team_of(static_cast<int>(d));
    if (other > 0 && other != team) seconds[d] = scheduler::kNever;
    any |= seconds[d] < scheduler::kNever;
  }
  if (any) task.seconds = std::move(seconds);
}

void take_turns(std::vector<Task>& tasks, const Machine& machine, const BufferOf& buffer_of,
                const CutMemory& cuts, timing::Rivalry& rivalry, double now) {
  Missing missing(machine, buffer_of, rivalry);
  std::vector<timing::Rivalry::Kernel> kernels;
  for (const Task& task : tasks) {
    missing.add(task);
    if (is_offered(task) && task.is_long()) kernels.push_back(kernel_of(task));
  }
  const int team = rivalry.choose(kernels, missing.copy_seconds());
  bool sampled = false;
  for (Task& task : tasks) {
    if (!is_offered(task)) continue;
    if (!sampled && task.is_long() && cuts.dimension(task) >= 0) {
      Missing of_kernel(machine, buffer_of, rivalry);
      of_kernel.add(task);
      const auto sample = rivalry.sample(kernel_of(task), of_kernel.copy_seconds(), now);
      if (sample) {
        task.sample = Task::Sample{sample->device, sample->share, sample->seconds};
        task.may_keep = false;
        sampled = true;
      }
    }
    offer_to(team, task, rivalry);
  }
}

}  // namespace mkmd::planning
