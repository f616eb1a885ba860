// SPDX-License-Identifier: Apache-2.0
// Profiling mode (MKMD_PROFILE, `mkmd profile`). The program's launches run at home. Before a launch runs,
// pieces of it are measured on copies of its buffers, with varied numbers of work-groups. Each device is
// measured alone, and all together. The samples go to the spool. The program's data and results are
// untouched; it is only slower.
#pragma once

#include "libinterpose/commands/command.hpp"

namespace mkmd {

class Runtime;

// One per process that is profiled. Thread-safe.
class Profiler {
public:
  Profiler();
  ~Profiler();

  // On the program's thread, without any lock held. Never fails: what cannot be measured is skipped, with a
  // log line. Launches like ones that were measured already cost next to nothing.
  void measure(Runtime& runtime, const KernelLaunch& launch);

private:
  friend class LaunchProfiler;
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace mkmd
