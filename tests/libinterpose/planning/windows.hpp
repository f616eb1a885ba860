// SPDX-License-Identifier: Apache-2.0
// Windows for the planner, made of numbers: no OpenCL, no compiler.
#pragma once

#include "libinterpose/planning/planner.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>

namespace mkmd::planning::test {

// Where the bytes of a buffer are valid: all of them at home, and others by hand.
class Places final : public Residency {
public:
  Places(uint64_t size, int domains) : valid_(domains) { valid_[0].add(0, size); }
  void add_valid(int domain, const ByteRanges& ranges) { valid_[domain].unite(ranges); }
  void make_home(int domain) { of_home_ = domain; }

  ByteRanges valid(int domain) const override { return valid_[domain]; }
  bool suits(const ByteRanges&) const override { return true; }
  bool is_home(int domain) const override { return domain == 0 || domain == of_home_; }

private:
  std::vector<ByteRanges> valid_;
  int of_home_ = 0;
};

// Buffers by number, all of one size. The planner tells them apart by address and never looks inside.
class Buffers {
public:
  Buffers(size_t count, uint64_t size, int domains) : size_(size) {
    for (size_t i = 0; i < count; ++i)
      places_.emplace_back(size, domains);
  }

  Memory* operator[](size_t i) { return reinterpret_cast<Memory*>(&places_[i]); }
  Places& places(size_t i) { return places_[i]; }
  BufferOf lookup() {
    return [this](Memory* root) {
      const auto* const places = reinterpret_cast<Places*>(root);
      return Buffer{static_cast<uint64_t>(places - places_.data()) + 1, size_, places};
    };
  }

private:
  const uint64_t size_;
  std::vector<Places> places_;
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
  task.kernel.name = "rows";
  task.kernel.number = 1;
  task.kernel.groups = {4, rows, 1};
  task.seconds = std::move(seconds);
  task.at_home = task.seconds[0];
  task.kernel.understood = task.kernel.long_at_home = true;
  task.kernel.uses_of = [=](const compiler::GroupBox& box, size_t) {
    const uint64_t lo = box.lo[1] * row_bytes;
    const uint64_t hi = box.hi[1] * row_bytes;
    // Those of a part of a row write all of it, as far as anybody knows.
    const ByteRanges reads(lo - std::min(lo, halo), std::min(rows * row_bytes, hi + halo));
    BufferUses uses{{{{}, {lo, hi}, {}}, to}};
    if (box.lo[0] > 0 || box.hi[0] < 4) uses[0].needed = {lo, hi};
    if (from == to) {
      uses[0].reads = uses[0].needed = reads;
    } else {
      uses.push_back({{reads, {}, reads}, from});
    }
    return uses;
  };
  return task;
}

// Two devices and four buffers, for kernels of rows.
struct RowWindows {
  static constexpr uint64_t kRows = 1024;
  static constexpr uint64_t kRow = 4096;  // bytes
  static constexpr uint64_t kSize = kRows * kRow;

  const std::unique_ptr<scheduler::Policy> policy_ = policy_named("mkmd-slices");
  Machine shared_ = machine_of(2, false, policy_.get());
  Machine separate_ = machine_of(2, true, policy_.get());
  Buffers buffers_{4, kSize, 2};

  Task rows(size_t from, size_t to, std::vector<double> seconds = {0.1, 0.1}, uint64_t halo = 0) {
    return rows_kernel(buffers_[from], buffers_[to], kRows, kRow, std::move(seconds), halo);
  }
};

// Every work-group is in exactly one piece.
inline void expect_partition(const PlannedTask& of) {
  uint64_t groups = 0;
  for (size_t a = 0; a < of.pieces.size(); ++a) {
    const compiler::GroupBox& x = of.pieces[a].box;
    groups += x.group_count();
    for (size_t b = a + 1; b < of.pieces.size(); ++b) {
      const compiler::GroupBox& y = of.pieces[b].box;
      bool apart = false;
      for (int d = 0; d < 3; ++d)
        apart |= x.hi[d] <= y.lo[d] || y.hi[d] <= x.lo[d];
      EXPECT_TRUE(apart);
    }
  }
  EXPECT_EQ(groups, of.task.kernel.group_count());
}

// Any work-group may touch any byte. `apart`: each touches others, as has been shown.
inline Task scatter_kernel(Memory* buffer, uint64_t size, uint64_t groups, std::vector<double> seconds,
                           bool apart = false) {
  Task task = rows_kernel(buffer, buffer, groups, 1, std::move(seconds));
  task.kernel.name = "scatter";
  task.kernel.number = 2;
  task.kernel.uses_of = [=](const compiler::GroupBox&, size_t) {
    return BufferUses{{{{0, size}, {0, size}, {0, size}}, buffer, apart}};
  };
  return task;
}

inline constexpr compiler::Update kAdd{compiler::Update::Kind::add, 4};

// Any work-group may add to any number.
inline Task updating_kernel(Memory* buffer, uint64_t size, uint64_t groups, std::vector<double> seconds) {
  Task task = scatter_kernel(buffer, size, groups, std::move(seconds));
  task.kernel.name = "updating";
  task.kernel.number = 3;
  task.kernel.uses_of = [=](const compiler::GroupBox&, size_t) {
    return BufferUses{{{{0, size}, {0, size}, {0, size}, {{kAdd, {0, size}}}}, buffer}};
  };
  return task;
}

inline Task transfer(CommandKind kind, Memory* source, Memory* destination, uint64_t begin, uint64_t size,
                     size_t devices) {
  Task task;
  task.kind = kind;
  task.transfer.source = source;
  task.transfer.destination = destination;
  task.transfer.source_begin = task.transfer.destination_begin = begin;
  task.transfer.size = size;
  task.transfer.pattern_size = kind == CommandKind::fill ? 4 : 0;
  task.seconds.assign(devices, scheduler::kNever);
  task.seconds[0] = task.at_home = static_cast<double>(size) * 1e-10;
  return task;
}

// Up to six commands on four buffers.
struct RandomWindow {
  RandomWindow(unsigned seed, const scheduler::Policy* policy) {
    constexpr uint64_t kRows = 1024;
    constexpr uint64_t kRow = 4096;  // bytes
    std::mt19937 random(seed);
    const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
    const size_t devices = 1 + below(3);
    const bool separate = below(2) != 0;
    machine = machine_of(devices, separate, policy);
    buffers = std::make_unique<Buffers>(4, kRows * kRow, static_cast<int>(devices));
    Buffers& of = *buffers;
    for (size_t i = 0; i < 4 && separate; ++i)
      of.places(i).add_valid(static_cast<int>(below(devices)), {kRow * below(kRows), kRows * kRow});
    for (size_t n = 1 + below(6); n-- > 0;) {
      std::vector<double> seconds;
      for (size_t d = 0; d < devices; ++d)
        seconds.push_back(1e-4 * static_cast<double>(1 + below(1000)));
      switch (below(6)) {
      case 0:
        window.push_back(scatter_kernel(of[below(4)], kRows * kRow, kRows, seconds));
        break;
      case 1:
        window.push_back(transfer(CommandKind::write, nullptr, of[below(4)], kRow, kRow, devices));
        break;
      case 2:
        window.push_back(transfer(CommandKind::copy, of[0], of[1 + below(3)], 0, kRows * kRow, devices));
        window.back().follows_bytes = separate;
        if (separate) window.back().seconds = seconds;
        break;
      case 3:
        of.places(0).make_home(separate ? static_cast<int>(below(devices)) : 0);
        window.push_back(updating_kernel(of[below(2)], kRow, kRows, seconds));
        break;
      default: {
        const uint64_t rows = 1 + below(kRows);
        const uint64_t halo = below(2) * kRow;
        window.push_back(rows_kernel(of[below(4)], of[below(4)], rows, kRow, seconds, halo));
        window.back().kernel.shape = rows;
      }
      }
    }
  }

  Machine machine;
  std::unique_ptr<Buffers> buffers;
  std::vector<Task> window;
};

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
