// SPDX-License-Identifier: Apache-2.0
// Windows for the planner, made of numbers: no OpenCL, no compiler.
#pragma once

#include "libinterpose/memory/region_map.hpp"
#include "libinterpose/planning/planner.hpp"

#include <memory>
#include <random>

namespace mkmd::planning::test {

// Buffers by number, all of one size. The planner tells them apart by address and never looks inside.
class Buffers {
public:
  Buffers(size_t count, uint64_t size, int domains) : names_(count) {
    for (size_t i = 0; i < count; ++i)
      buffers_.push_back({i + 1, size, std::make_unique<RegionMap>(size, domains)});
  }

  Memory* operator[](size_t i) { return reinterpret_cast<Memory*>(&names_[i]); }
  RegionMap& regions(size_t i) { return *buffers_[i].regions; }
  BufferOf lookup() {
    return [this](Memory* root) {
      const auto& known = buffers_[reinterpret_cast<std::max_align_t*>(root) - names_.data()];
      return Buffer{known.number, known.size, known.regions.get()};
    };
  }

private:
  struct Known {
    uint64_t number, size;
    std::unique_ptr<RegionMap> regions;
  };
  std::vector<std::max_align_t> names_;
  std::vector<Known> buffers_;
};

inline std::unique_ptr<scheduler::Policy> policy_named(const std::string& specification) {
  auto made = scheduler::make_policy(specification);
  return made ? std::move(*made) : nullptr;
}

// Devices of one memory, or each of its own; home is the first.
inline Machine machine_of(size_t devices, bool separate, const scheduler::Policy* policy) {
  Machine machine;
  for (size_t d = 0; d < devices; ++d) {
    scheduler::Device device;
    device.name = "d" + std::to_string(d);
    device.mem = separate ? static_cast<int>(d) : 0;
    device.launch = 1e-5;
    machine.platform.devices.push_back(device);
  }
  machine.platform.bw = 1e10;
  machine.platform.lat = 1e-6;
  machine.domains = separate ? static_cast<int>(devices) : 1;
  machine.policy = policy;
  machine.planning_budget = scheduler::kNever;  // plans must not depend on how busy this machine is
  return machine;
}

// Each row of work-groups (dimension 1) reads its slab of one buffer and `halo` bytes on both sides, and
// writes its slab of another.
inline Task rows_kernel(Memory* from, Memory* to, uint64_t rows, uint64_t row_bytes,
                        std::vector<double> seconds, uint64_t halo = 0) {
  Task task;
  task.kind = CommandKind::kernel;
  task.name = "rows";
  task.kernel = 1;
  task.groups = {4, rows, 1};
  task.seconds = std::move(seconds);
  task.at_home = task.seconds[0];
  task.understood = task.is_long = task.long_at_home = true;
  task.uses_of = [=](const compiler::GroupBox& box, size_t) {
    const uint64_t lo = box.lo[1] * row_bytes;
    const uint64_t hi = box.hi[1] * row_bytes;
    // Those of a part of a row write all of it, as far as anybody knows.
    const ByteRanges reads(lo - std::min(lo, halo), std::min(rows * row_bytes, hi + halo));
    BufferUses uses{{to, {}, {lo, hi}, {}}};
    if (box.lo[0] > 0 || box.hi[0] < 4) uses[0].needed = {lo, hi};
    if (from == to) {
      uses[0].reads = uses[0].needed = reads;
    } else {
      uses.push_back({from, reads, {}, reads});
    }
    return uses;
  };
  return task;
}

// Any work-group may touch any byte.
inline Task scatter_kernel(Memory* buffer, uint64_t size, uint64_t groups, std::vector<double> seconds) {
  Task task = rows_kernel(buffer, buffer, groups, 1, std::move(seconds));
  task.name = "scatter";
  task.kernel = 2;
  task.uses_of = [=](const compiler::GroupBox&, size_t) {
    return BufferUses{{buffer, {0, size}, {0, size}, {0, size}}};
  };
  return task;
}

inline Task transfer(CommandKind kind, Memory* source, Memory* destination, uint64_t begin, uint64_t size,
                     size_t devices) {
  Task task;
  task.kind = kind;
  task.source = source;
  task.destination = destination;
  task.source_begin = task.destination_begin = begin;
  task.size = size;
  task.pattern_size = kind == CommandKind::fill ? 4 : 0;
  task.seconds.assign(devices, scheduler::kNever);
  task.seconds[0] = task.at_home = static_cast<double>(size) * 1e-10;
  return task;
}

inline Plan plan(const Machine& machine, Buffers& buffers, std::vector<Task> window,
                 Purpose purpose = Purpose::speed, CutMemory* cuts = nullptr) {
  CutMemory own;
  const BufferOf lookup = buffers.lookup();
  Planner planner(machine, lookup, cuts != nullptr ? *cuts : own, purpose);
  for (Task& task : window)
    planner.add(std::move(task));
  return std::move(planner).make(true);
}

}  // namespace mkmd::planning::test
