// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/planning/bandwidth.hpp"
#include "libinterpose/planning/planner.hpp"

#include <algorithm>

namespace mkmd::planning {

namespace {

// To policies, fills and copies consist of blocks of so many bytes.
constexpr uint64_t kCopiedAtOnce = 4096;
constexpr uint64_t kMostUnits = 1 << 20;

// A buffer of which half of the work-groups needs clearly less than all is needed in slices.
bool read_in_slices(const BufferUses& half, const Memory* root, uint64_t whole) {
  for (const BufferUse& use : half) {
    if (use.root == root) return static_cast<double>(use.needed.total()) < 0.75 * static_cast<double>(whole);
  }
  return false;
}

class GraphBuilder {
public:
  GraphBuilder(const Machine& machine, const std::vector<PlannedTask>& tasks, const BufferOf& buffer_of)
      : machine_(machine), tasks_(tasks), buffer_of_(buffer_of) {}

  scheduler::Problem build() {
    problem_.platform = machine_.platform;
    add_source();
    for (const PlannedTask& of : tasks_) {
      add_task(of);
      add_edges(of, static_cast<int>(graph().tasks.size()) - 1);
    }
    add_resident();
    if (machine_.copy_seconds != nullptr) add_links();
    return std::move(problem_);
  }

private:
  scheduler::TaskGraph& graph() { return problem_.graph; }

  static std::string name_of(const Buffer& buffer) { return "b" + std::to_string(buffer.number); }

  static double added(const PlannedTask& of, size_t device) {
    return of.seconds_added.empty() ? 0 : of.seconds_added[device];
  }

  void add_source() {
    scheduler::Task source;
    source.name = "source";
    source.times.assign(machine_.device_count(), 0.0);
    source.pinned = 0;
    graph().tasks.push_back(std::move(source));
  }

  void add_task(const PlannedTask& of) {
    const Task& task = of.task;
    const auto& devices = problem_.platform.devices;
    scheduler::Task t;
    t.id = static_cast<int>(graph().tasks.size());
    t.name = task.is_kernel() ? task.kernel.name : "memory";
    for (size_t d = 0; d < task.seconds.size(); ++d)
      t.times.push_back(std::max(0.0, task.seconds[d] - devices[d].launch + added(of, d)));
    t.divisible = of.cut >= 0;
    if (task.follows_bytes) {
      t.units = static_cast<int>(std::clamp<uint64_t>(task.transfer.size / kCopiedAtOnce, 1, kMostUnits));
      t.divisible = t.units > 1;
    } else if (t.divisible) {
      t.units = static_cast<int>(std::min(task.kernel.groups[of.cut], kMostUnits));
    }
    if (on_whole(of, machine_) && machine_.home_is_sum) {
      // It keeps all parts busy: to the policy, a task they share equally.
      t.times.assign(devices.size(), task.at_home * static_cast<double>(devices.size()));
      t.divisible = true;
      t.units = static_cast<int>(devices.size());
    } else if (stays_home(of, machine_)) {
      t.times[0] = std::max(0.0, task.at_home - devices[0].launch);
      t.pinned = 0;
    }
    // Where footprints are generous the time knows better.
    if (const scheduler::Memory* memory = home_memory(machine_); of.bytes > 0 && memory != nullptr)
      t.bytes = std::min(of.bytes, memory->bw_one * *std::min_element(t.times.begin(), t.times.end()));
    graph().tasks.push_back(std::move(t));
  }

  void add_edges(const PlannedTask& of, int id) {
    for (const BufferUse& use : of.whole) {
      const bool slices = of.cut >= 0 && read_in_slices(of.first_half, use.root, use.needed.total());
      const auto access = slices || of.task.follows_bytes ? scheduler::Access::row : scheduler::Access::full;
      const Buffer buffer = buffer_of_(use.root);
      const std::string name = name_of(buffer);
      ByteRanges left = use.needed;
      const ByteRanges apart = apart_of(of, use);
      left.subtract(apart);
      Touched& touched = touched_[buffer.number];
      touched.buffer = buffer;
      std::vector<Written>& earlier = touched.written;
      for (auto w = earlier.rbegin(); w != earlier.rend() && !(left.empty() && apart.empty()); ++w) {
        const uint64_t before = left.total();
        left.subtract(*w->ranges);
        const auto bytes = static_cast<double>(before - left.total());
        if (bytes == 0 && !apart.overlaps(*w->ranges)) continue;
        // A fill is made wherever it is needed, so that nothing moves.
        const Task& writer = tasks_[w->task - 1].task;
        if (bytes == 0 || (writer.kind == CommandKind::fill && writer.follows_bytes)) {
          graph().edges.push_back({w->task, id, 0, "", scheduler::Access::full});
        } else {
          graph().edges.push_back({w->task, id, bytes, name + "." + std::to_string(w->task), access});
        }
      }
      if (!left.empty()) {
        graph().edges.push_back({0, id, static_cast<double>(buffer.size), name, access});
      }
      if (!use.writes.empty()) earlier.push_back({id, &use.writes});
    }
  }

  // Copies that are merged later begin with nothing of the buffer.
  static ByteRanges apart_of(const PlannedTask& of, const BufferUse& use) {
    ByteRanges bytes;
    if (std::ranges::any_of(of.seconds_added, [](double seconds) { return seconds > 0; })) {
      for (const compiler::Updated& updated : use.updates)
        bytes.unite(updated.bytes);
    }
    return bytes;
  }

  // What lies in other memories already. (The source has everything at home: what is not there costs a copy
  // the plan does not know of, which the emitted transfers then make.)
  void add_resident() {
    for (const auto& [number, touched] : touched_) {
      const Buffer& buffer = touched.buffer;
      for (int d = 1; d < machine_.domains; ++d) {
        for (const ByteRows& block : buffer.residency->valid(d)) {
          const auto size = static_cast<double>(buffer.size);
          // Columns are a share of every row: those who read columns count in them.
          const double lo =
              block.count > 1 ? static_cast<double>(block.lo % block.pitch) / static_cast<double>(block.pitch)
                              : static_cast<double>(block.lo) / size;
          graph().resident.push_back(
              {name_of(buffer), d, lo, std::min(1.0, lo + static_cast<double>(block.total()) / size)});
        }
      }
    }
    std::erase_if(graph().resident, [&](const scheduler::Resident& r) {
      return std::none_of(graph().edges.begin(), graph().edges.end(),
                          [&](const scheduler::Edge& e) { return e.src == 0 && e.buffer == r.buffer; });
    });
  }

  int first_device_in(int domain) const {
    int device = 0;
    while (machine_.domain_of(device) != domain)
      ++device;
    return device;
  }

  // Links have a fixed cost and a rate; those that give the expected times of the transfers at hand and of
  // half of them.
  void add_links() {
    if (!machine_.separate_memories()) return;
    std::vector<double> sizes;
    for (const scheduler::Edge& e : graph().edges) {
      if (e.bytes > 0) sizes.push_back(static_cast<double>(e.bytes));
    }
    if (sizes.empty()) return;
    const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
    std::nth_element(sizes.begin(), middle, sizes.end());
    for (int from = 0; from < machine_.domains; ++from) {
      for (int to = 0; to < machine_.domains; ++to) {
        if (from == to) continue;
        const int source = first_device_in(from);
        const int destination = first_device_in(to);
        const double all = machine_.copy_seconds(source, destination, *middle);
        const double half = machine_.copy_seconds(source, destination, *middle / 2);
        if (all <= half) continue;
        problem_.platform.links.push_back(
            {from, to, *middle / 2 / (all - half), std::max(0.0, 2 * half - all)});
      }
    }
  }

  struct Written {
    int task;
    const ByteRanges* ranges;
  };

  const Machine& machine_;
  const std::vector<PlannedTask>& tasks_;
  const BufferOf& buffer_of_;
  scheduler::Problem problem_;
  struct Touched {
    Buffer buffer;
    std::vector<Written> written;
  };
  std::map<uint64_t, Touched> touched_;  // by number: the graph must not depend on addresses
};

}  // namespace

scheduler::Problem make_problem(const Machine& machine, const std::vector<PlannedTask>& tasks,
                                const BufferOf& buffer_of) {
  return GraphBuilder(machine, tasks, buffer_of).build();
}

}  // namespace mkmd::planning
