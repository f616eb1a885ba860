// SPDX-License-Identifier: Apache-2.0
// What a planner is given: the devices, and the commands of a window as values. Nothing here calls OpenCL or
// holds a lock.
#pragma once

#include "common/byte_ranges.hpp"
#include "compiler/footprint.hpp"
#include "libinterpose/memory/buffer_use.hpp"
#include "libinterpose/memory/residency.hpp"
#include "libinterpose/timing/profitability.hpp"
#include "scheduler/policy.hpp"
#include "scheduler/problem.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mkmd {

namespace planning {

enum class CommandKind { kernel, read, write, copy, fill, marker };
const char* to_string(CommandKind kind);

// The work-groups of a piece that has run before, and on which device.
struct RanBefore {
  int device = 0;
  std::array<uint64_t, 3> groups{};
};

// What a plan needs to know of a launch.
struct KernelTask {
  std::string name;
  std::array<uint64_t, 3> groups{1, 1, 1};
  bool understood = false;    // which bytes its work-groups touch is known, and there is code for pieces;
                              // of one that may not be split, its buffers as a whole
  timing::Launch predicted;   // what the decision follows from
  timing::Decision decision;  // whether it is worth splitting, and else where it goes
  bool long_at_home = false;  // it would be, by home's time
  // What the work-groups in a box do to their buffers, in byte sets of at most so many blocks.
  std::function<BufferUses(const compiler::GroupBox& box, size_t most_blocks)> uses_of;
  // A share of it is to show how long this device takes, while nothing else runs.
  struct Sample {
    int device = 0;
    double share = 0;
    double budgeted = 0;  // seconds
  };
  std::optional<Sample> sample;
  timing::Rivalry::Experience experience;  // set where devices have rivals
  std::vector<compiler::GroupBox> redo;    // only these, at home; empty: all
  std::optional<RanBefore> ran;            // for Purpose::repeats
  uint64_t number = 0;                     // equal for launches of one kernel; no other's
  uint64_t shape = 0;                      // equal for launches that take the same time
  double most_bytes = scheduler::kNever;   // loaded and stored by the whole launch; kNever: not known
  // By device, how many times as long as alone it takes while all devices work; empty: not known.
  std::vector<double> together;

  bool is_moved() const { return decision.verdict == timing::Verdict::move; }
  bool is_long() const { return decision.reason != timing::Reason::too_short; }
  // Else it is only in the window because others are.
  bool is_worth_capturing() const { return is_long() || is_moved(); }
  bool left_alone() const { return is_long() && decision.verdict == timing::Verdict::native; }
  bool is_retry() const { return decision.reason == timing::Reason::retry; }
  uint64_t group_count() const { return groups[0] * groups[1] * groups[2]; }
  compiler::GroupBox whole() const { return {{0, 0, 0}, groups}; }
};

// What a plan needs to know of a read, write, copy or fill. Offsets are the root buffers'.
struct TransferTask {
  Memory* source = nullptr;       // read, copy
  Memory* destination = nullptr;  // write, copy, fill
  uint64_t source_begin = 0;
  uint64_t destination_begin = 0;
  uint64_t size = 0;          // bytes
  uint64_t pattern_size = 0;  // of a fill, bytes

  // Copy: from a byte of the destination to that of the source, modulo 2^64.
  uint64_t source_ahead() const { return source_begin - destination_begin; }
};

// One command, and what is predicted of it. Seconds are those of the whole command.
struct Task {
  CommandKind kind = CommandKind::marker;
  std::vector<double> seconds;  // by device; scheduler::kNever: it may not run there
  double at_home = 0;           // seconds on home, which need not be one of the devices
  // A fill or copy that is made in every memory whose devices need the result next.
  bool follows_bytes = false;
  bool may_keep = true;   // the predictions say all there is to say: a plan may be used again
  KernelTask kernel;      // of a kernel
  TransferTask transfer;  // of what is neither a kernel nor a marker

  bool is_kernel() const { return kind == CommandKind::kernel; }
};

// A root buffer when the window begins.
struct Buffer {
  uint64_t number = 0;  // in graphs and traces
  uint64_t size = 0;    // bytes
  const Residency* residency = nullptr;
};
using BufferOf = std::function<Buffer(Memory* root)>;

// The devices that share the work, and what a plan has to respect.
struct Machine {
  scheduler::Platform platform;
  int domains = 1;  // memories; that of device d is platform.devices[d].mem, home's is 0
  int home = 0;     // the index of home: a device's, or the one behind them
  // Home is none of the devices but the whole of which they are parts: all of it, in one memory, if
  // `home_is_sum`.
  bool home_is_whole = false;
  bool home_is_sum = false;
  bool can_fail = false;  // a device with its memory may be lost
  // By device and, behind them, home: it works in home's memory with the atomic instructions of home's code.
  // Pieces on such devices may update the same bytes at the same time.
  std::vector<bool> atomic_at_home;
  bool regardless_of_gain = false;  // the policy wants kernels divided whatever that brings
  double cache = 0;                 // bytes that home's caches hold
  // Seconds to copy bytes from one device's memory to another's; null: the platform's links say it.
  std::function<double(int from, int to, double bytes)> copy_seconds;
  const scheduler::Policy* policy = nullptr;  // null: everything runs at home
  std::string policy_name;
  double planning_budget = 1e-3;  // seconds: policies that improve step by step stop early

  size_t device_count() const { return platform.devices.size(); }
  int domain_of(int device) const {
    return static_cast<size_t>(device) < device_count() ? platform.devices[device].mem : 0;
  }
  bool separate_memories() const { return domains > 1; }
  // A lost piece could not be repeated where others have updated its bytes.
  bool may_update_together(int device) const {
    return !can_fail && static_cast<size_t>(device) < atomic_at_home.size() && atomic_at_home[device];
  }
  // Byte sets only order commands and show that pieces are independent.
  bool order_only() const { return !separate_memories() && !can_fail; }
};

// Why a window is planned.
enum class Purpose {
  speed,
  home_times,  // every kernel runs at home, so that it is known how long they take
  repeats,     // drivers may have no compilers any more: only code that has run
};
const char* to_string(Purpose purpose);

}  // namespace planning
}  // namespace mkmd
