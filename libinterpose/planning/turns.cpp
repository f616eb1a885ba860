// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/planning/turns.hpp"

#include "libinterpose/planning/placement.hpp"

#include <limits>
#include <map>
#include <optional>
#include <set>

namespace mkmd::planning {

namespace {

bool is_offered(const Task& task) {
  return task.is_kernel() && task.kernel.understood && task.kernel.redo.empty();
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
      Bytes& of = buffers_[task.transfer.destination];
      of.from_host.unite(own_bytes(task));
      of.made.subtract(own_bytes(task));
    } else if (is_offered(task)) {
      for (const BufferUse& use : task.kernel.uses_of(task.kernel.whole(), kFewBlocks))
        add(use, task.kernel.is_worth_capturing());
    }
  }

  double copy_seconds(int team) const {
    const int device = first_of_team_.at(team);
    const int domain = machine_.domain_of(device);
    double seconds = 0;
    for (const auto& [root, of] : buffers_) {
      const Residency& residency = *buffer_of_(root).residency;
      ByteRanges there = residency.valid(domain);
      if (!residency.is_home(domain)) there.subtract(of.from_host);
      ByteRanges missing = of.needed;
      missing.subtract(there);
      if (!missing.empty()) seconds += copy(device, static_cast<double>(missing.total()));
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
  timing::Rivalry::Kernel kernel{task.seconds, task.kernel.experience};
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

bool take_turns(std::vector<Task>& tasks, const Machine& machine, const BufferOf& buffer_of,
                const CutMemory& cuts, timing::Rivalry& rivalry, double now) {
  std::vector<timing::Rivalry::Kernel> kernels;
  std::set<const Task*> stay;  // with the first team
  std::set<uint64_t> begun;    // kernels that it will have run then
  for (const Task& task : tasks) {
    if (!is_offered(task)) continue;
    const timing::Rivalry::Kernel kernel = kernel_of(task);
    if (!rivalry.may_move(kernel) && (begun.insert(task.kernel.number).second || !rivalry.knows(kernel))) {
      stay.insert(&task);
    } else if (task.kernel.is_worth_capturing()) {
      kernels.push_back(kernel);
    }
  }
  // Which bytes are missing is looked at only for a team that would be quicker or is to be tried.
  std::optional<Missing> of_window;
  const int team = rivalry.choose(kernels, [&](int other) {
    if (!of_window) {
      of_window.emplace(machine, buffer_of, rivalry);
      for (const Task& task : tasks)
        of_window->add(task);
    }
    return of_window->copy_seconds(other);
  });
  bool sampled = false;
  for (Task& task : tasks) {
    if (!is_offered(task)) continue;
    if (!sampled && task.kernel.is_long() && !task.kernel.is_moved() && cuts.dimension(task) >= 0) {
      const auto bring = [&](int other) {
        Missing of_kernel(machine, buffer_of, rivalry);
        of_kernel.add(task);
        return of_kernel.copy_seconds(other);
      };
      if (const auto sample = rivalry.sample(kernel_of(task), bring, now)) {
        task.kernel.sample = KernelTask::Sample{sample->device, sample->share, sample->seconds};
        task.may_keep = false;
        sampled = true;
      }
    }
    offer_to(stay.contains(&task) ? 1 : team, task, rivalry);
    task.may_keep &= !stay.contains(&task);
  }
  return !stay.empty() && team != 1;
}

}  // namespace mkmd::planning
