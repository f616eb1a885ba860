// SPDX-License-Identifier: Apache-2.0
// The kernel graph of a window, as the scheduler wants it: one task per command, an edge wherever one command
// reads what another wrote, and a source (task 0, at home) for everything that was there before.
#include "libinterpose/capture/planner.hpp"
#include "libinterpose/emulation/rates.hpp"
#include "libinterpose/process.hpp"

#include <algorithm>
#include <map>

namespace mkmd {

namespace {

// A buffer of which half of the work-groups needs clearly less than all is needed in slices.
bool read_in_slices(const BufferUses& half, const Memory* root, uint64_t whole) {
  for (const BufferUse& use : half) {
    if (use.root == root) return static_cast<double>(use.needed.total()) < 0.75 * static_cast<double>(whole);
  }
  return false;
}

std::string name_of(const Memory& root) {
  return "b" + std::to_string(buffer_number(root));
}

}  // namespace

uint64_t buffer_number(const Memory& root) {
  uint64_t& number = root.storage->number;
  if (number == 0) number = process().next_buffer.fetch_add(1, std::memory_order_relaxed);
  return number;
}

// Links have a fixed cost and a rate; those that give the expected times of the transfers at hand and of half
// of them.
void Planner::add_links(scheduler::Problem& problem) const {
  if (!runtime_.separate_memories()) return;
  std::vector<double> sizes;
  for (const scheduler::Edge& e : problem.graph.edges) {
    if (e.bytes > 0) sizes.push_back(static_cast<double>(e.bytes));
  }
  if (sizes.empty()) return;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  const auto& domains = runtime_.domains_;
  for (int from = 0; from < static_cast<int>(domains.size()); ++from) {
    for (int to = 0; to < static_cast<int>(domains.size()); ++to) {
      if (from == to) continue;
      const int source = domains[from].devices.front();
      const int destination = domains[to].devices.front();
      const double all = runtime_.times_.copy_seconds(source, destination, *middle);
      const double half = runtime_.times_.copy_seconds(source, destination, *middle / 2);
      if (all <= half) continue;
      problem.platform.links.push_back({from, to, *middle / 2 / (all - half), std::max(0.0, 2 * half - all)});
    }
  }
}

scheduler::Problem Planner::make_problem() const {
  const Process& p = process();
  const DeviceRates& home = runtime_.times_.rates(p.home_index());
  scheduler::Problem problem;
  problem.platform.bw = home.copy_bytes_per_second;
  problem.platform.lat = home.copy_seconds;
  for (size_t d = 0; d < p.devices.size(); ++d) {
    const cl_device_type type = p.devices[d].type;
    scheduler::Device device;
    device.name = p.devices[d].name;
    device.device_class = (type & CL_DEVICE_TYPE_GPU) != 0   ? scheduler::DeviceClass::gpu
                          : (type & CL_DEVICE_TYPE_CPU) != 0 ? scheduler::DeviceClass::cpu
                                                             : scheduler::DeviceClass::accelerator;
    device.mem = p.domain[d];
    device.launch = runtime_.times_.rates(static_cast<int>(d)).launch_seconds;
    problem.platform.devices.push_back(std::move(device));
  }
  if (p.machine != nullptr) {
    static const auto* const links = new auto(emulated_links(*p.machine));
    problem.platform.links = *links;
  }
  problem.platform.memories = shared_memories();
  auto& graph = problem.graph;
  scheduler::Task source;
  source.name = "source";
  source.times.assign(p.devices.size(), 0.0);
  source.pinned = 0;
  graph.tasks.push_back(std::move(source));

  struct Written {
    int task;
    const ByteRanges* ranges;
  };
  std::map<const Memory*, std::vector<Written>> writers;
  for (const Task& task : tasks_) {
    const int id = static_cast<int>(graph.tasks.size());
    scheduler::Task t;
    t.id = id;
    t.name = task.command->kind == Command::Kind::kernel ? task.command->launch.kernel->name : "memory";
    for (size_t d = 0; d < task.seconds.size(); ++d) {
      t.times.push_back(std::max(0.0, task.seconds[d] - problem.platform.devices[d].launch));
    }
    t.divisible = task.cut >= 0;
    if (follows_bytes(task)) {
      t.units = static_cast<int>(std::clamp<uint64_t>(task.command->size / kCopiedAtOnce, 1, 1 << 20));
      t.divisible = t.units > 1;
    } else if (t.divisible) {
      t.units = static_cast<int>(std::min<uint64_t>(task.command->launch.groups[task.cut], 1 << 20));
    }
    if (on_whole(task) && p.home_is_sum()) {
      // It keeps all parts busy: to the policy, a task they share equally.
      t.times.assign(p.devices.size(), task.at_home * static_cast<double>(p.devices.size()));
      t.divisible = true;
      t.units = static_cast<int>(p.devices.size());
    } else if (stays_home(task)) {
      t.times[0] = std::max(0.0, task.at_home - problem.platform.devices[0].launch);
      t.pinned = 0;
    }
    // Where footprints are generous the time knows better.
    if (const scheduler::Memory* memory = shared_memory(0); task.bytes > 0 && memory != nullptr)
      t.bytes = std::min(task.bytes, memory->bw_one * *std::min_element(t.times.begin(), t.times.end()));
    graph.tasks.push_back(std::move(t));

    for (const BufferUse& use : task.whole) {
      const bool slices = task.cut >= 0 && read_in_slices(task.first_half, use.root, use.needed.total());
      const auto access = slices || follows_bytes(task) ? scheduler::Access::row : scheduler::Access::full;
      const std::string name = name_of(*use.root);
      ByteRanges left = use.needed;
      auto& earlier = writers[use.root];
      for (auto w = earlier.rbegin(); w != earlier.rend() && !left.empty(); ++w) {
        const uint64_t before = left.total();
        left.subtract(*w->ranges);
        const auto bytes = static_cast<double>(before - left.total());
        if (bytes == 0) continue;
        // A fill is made wherever it is needed, so that nothing moves.
        const Task& writer = tasks_[w->task - 1];
        if (writer.command->kind == Command::Kind::fill && follows_bytes(writer)) {
          graph.edges.push_back({w->task, id, 0, "", scheduler::Access::full});
        } else {
          graph.edges.push_back({w->task, id, bytes, name + "." + std::to_string(w->task), access});
        }
      }
      if (!left.empty()) {
        graph.edges.push_back({0, id, static_cast<double>(use.root->size), name, access});
      }
      if (!use.writes.empty()) earlier.push_back({id, &use.writes});
    }
  }
  // What lies in other memories already. (The source has everything at home: what is not there costs a copy
  // the plan does not know of, which the emitted transfers then make.)
  for (const auto& [root, written] : writers) {
    for (size_t d = 1; d < runtime_.domains_.size(); ++d) {
      for (const ByteRows& block : root->storage->regions.valid(static_cast<int>(d))) {
        const auto size = static_cast<double>(root->size);
        // Columns are a share of every row: those who read columns count in them.
        const double lo = block.count > 1
                              ? static_cast<double>(block.lo % block.pitch) / static_cast<double>(block.pitch)
                              : static_cast<double>(block.lo) / size;
        graph.resident.push_back({name_of(*root), static_cast<int>(d), lo,
                                  std::min(1.0, lo + static_cast<double>(block.total()) / size)});
      }
    }
  }
  std::erase_if(graph.resident, [&](const scheduler::Resident& r) {
    return std::none_of(graph.edges.begin(), graph.edges.end(),
                        [&](const scheduler::Edge& e) { return e.src == 0 && e.buffer == r.buffer; });
  });
  if (p.machine == nullptr) add_links(problem);
  return problem;
}

}  // namespace mkmd
