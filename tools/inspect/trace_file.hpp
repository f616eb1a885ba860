// SPDX-License-Identifier: Apache-2.0
// A trace file (docs/trace.md) as values: what was planned, window by window, and what happened. Reading is
// strict about what it understands and silent about lines and keys it does not know. Times are seconds since
// the first instant in the file, sizes bytes.
#pragma once

#include "common/status.hpp"
#include "libinterpose/report/balance.hpp"
#include "scheduler/problem.hpp"
#include "scheduler/schedule.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mkmd::inspect {

struct Device {
  std::string name;    // as in --devices
  std::string device;  // as its driver calls it
  int memory = 0;
  double operations_per_second = 0, bytes_per_second = 0;  // as calibrated; 0: not known
  double launch = 0;                                       // seconds
};

// Work-groups lo…hi, exclusive.
struct Box {
  std::array<uint64_t, 3> lo{0, 0, 0}, hi{1, 1, 1};
  double groups() const {
    double all = 1;
    for (int d = 0; d < 3; ++d)
      all *= static_cast<double>(hi[d] - lo[d]);
    return all;
  }
};

struct Command {
  uint64_t id = 0;
  size_t window = 0;
  int task = 0;      // index in the window's graph, where task 0 is the source
  std::string kind;  // kernel, read, write, copy, fill, marker
  std::string name;  // of the kernel; otherwise the kind
  bool is_kernel() const { return kind == "kernel"; }
  Box whole;                         // kernel
  double operations = 0, bytes = 0;  // kernel: of the whole launch, as counted; otherwise the bytes moved
  std::vector<double> seconds;       // predicted, whole, by device; infinite: not there
  std::vector<std::pair<int, Box>> plan;  // kernel: the pieces as planned, {device, work-groups}
  std::string whole_because;              // kernel that is not split
  int line = 0;                           // of the program's source, where that says why; 0: not known
};

struct Window {
  double time = 0;  // when it was planned
  double planning_seconds = 0;
  bool kept_plan = false;  // that of an equal window before it
  std::string policy;
  double predicted = 0;  // makespan, seconds
  size_t first_command = 0, commands = 0;
  scheduler::Problem problem;
  std::optional<scheduler::Schedule> plan;
};

struct Piece {
  size_t command = 0;  // index in Trace::commands
  int device = 0;
  Box box;
  double start = 0, end = 0;
};

inline constexpr size_t kNoCommand = SIZE_MAX;
inline constexpr int kProgramMemory = -1;

struct Transfer {
  size_t command = kNoCommand;  // the one it is made for
  std::string buffer;
  double bytes = 0;
  int from = 0, to = 0;  // memories, or kProgramMemory
  double start = 0, end = 0;
};

// A read, write, copy or fill of the program's, done by a device.
struct MemoryCommand {
  size_t command = 0;
  int device = 0;
  double start = 0, end = 0;
};

// Launches of one kernel that went straight to the home's queue.
struct NativeKernel {
  std::string name, why;
  int line = 0;
  uint64_t launches = 0;
  double seconds = 0;  // 0: not measured
};

struct Trace {
  // A device of which others are parts comes last: it excludes them in time, and policies do not know of it.
  std::vector<Device> devices;
  bool has_whole = false;
  std::vector<int> parts;
  std::vector<Window> windows;
  std::vector<Command> commands;
  std::vector<Piece> pieces;
  std::vector<Transfer> transfers;
  std::vector<MemoryCommand> memory_commands;
  std::map<std::string, uint64_t> native_commands;  // by kind
  std::vector<NativeKernel> native_kernels;
  Balance balance;               // of all windows whose outcome is there
  double exploring_seconds = 0;  // what exploring cost
  bool cut = false;              // the last line was incomplete and is left out
};

// The trace in a file, or one line that names the file, the line and what is wrong there.
Result<Trace> read_trace(const std::string& path);

}  // namespace mkmd::inspect
