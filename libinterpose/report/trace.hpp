// SPDX-License-Identifier: Apache-2.0
// The trace of a run (MKMD_TRACE): one JSON object per line, in the order in which things became known. So
// a file cut off by a crash is still good up to its last line. docs/trace.md describes the lines. Without
// the setting nothing is done: every caller asks on() first. Thread-safe.
#pragma once

#include "common/thread_annotations.hpp"
#include "libinterpose/setup/configuration.hpp"
#include "libinterpose/vendor/vendor.hpp"

#include <CL/cl.h>
#include <nlohmann/json_fwd.hpp>

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace mkmd {

class Trace {
public:
  explicit Trace(const Configuration& configuration)
      : configuration_(configuration), on_(!configuration.settings.trace.empty()) {}

  bool on() const { return on_; }

  // Adds a line. It reaches the file with the next flush(), or with another line 10 ms later or more.
  void add(const nlohmann::json& line);
  // The same, where the caller holds a mutex: the line is made when it is written. That is not done here.
  void add_later(std::function<nlohmann::json()> line);
  // A line about the devices and links that the following windows are planned for, if it is news.
  void add_platform(const nlohmann::json& platform);
  // Counts a command that went straight to the home's own queue.
  void count_native(cl_command_type type);
  // Why a kernel did, too.
  struct NativeKernel {
    std::string name, reason;
    int line = 0;  // of the program's source; 0: not known
    auto operator<=>(const NativeKernel&) const = default;
  };
  // `event`: of a queue with profiling; null: how long the launch takes stays unknown.
  void count_native_kernel(const NativeKernel& kernel, vendor::Owned<cl_event> event);
  // Asks drivers how long such launches took, as far as they are over.
  void time_native_kernels();

  // Writes what was added: before a program learns that all captured work is done, and at exit. The file is
  // opened and closed here: no descriptor of ours stays in the program. One that another process is writing
  // is left to that one (common/trace_owner.hpp).
  void flush();

private:
  struct Launches {
    uint64_t count = 0;
    double seconds = 0;  // of those that were measured
  };
  // What went straight to home, since the last line about it; kernels stay as keys, so that a new one is
  // noticed.
  struct Native {
    std::map<std::string, uint64_t> commands;
    std::map<NativeKernel, Launches> kernels;
    bool changed = false;
  };

  static std::string line_about(const Native& native);
  std::string take_text() EXCLUDES(mutex_);
  bool is_due() const REQUIRES(mutex_);
  void write_out() EXCLUDES(mutex_);
  std::string claim(int fd) REQUIRES(file_mutex_);
  std::string first_line() const;

  const Configuration& configuration_;
  const bool on_;
  std::atomic<bool> broken_{false};
  // One writes at a time, and makes its lines meanwhile: they are in the order in which they were added. Who
  // adds lines does not wait for that. Taken before the other.
  Mutex file_mutex_;
  std::string header_ GUARDED_BY(file_mutex_);  // the file's first line, once it is written
  Mutex mutex_;
  std::vector<std::function<std::string()>> lines_ GUARDED_BY(mutex_);
  size_t bytes_ GUARDED_BY(mutex_) = 0;  // of those that are made already
  cl_ulong written_at_ GUARDED_BY(mutex_) = 0;
  std::string platform_ GUARDED_BY(mutex_);
  Native native_ GUARDED_BY(mutex_);
  std::vector<std::pair<NativeKernel, vendor::Owned<cl_event>>> untimed_ GUARDED_BY(mutex_);
};

}  // namespace mkmd
