// SPDX-License-Identifier: Apache-2.0
// The trace of a run (MKMD_TRACE): one JSON object per line, in the order things became known, so that a file
// cut off by a crash is still good up to its last line. docs/trace.md describes the lines. Without the
// setting nothing is done: every caller asks on() first. Thread-safe.
#pragma once

#include "libinterpose/setup/configuration.hpp"

#include <CL/cl.h>
#include <nlohmann/json.hpp>

#include <map>
#include <mutex>
#include <string>
#include <tuple>

namespace mkmd {

class Trace {
public:
  explicit Trace(const Configuration& configuration)
      : configuration_(configuration), on_(!configuration.settings.trace.empty()) {}

  bool on() const { return on_; }

  // Adds a line. It reaches the file with the next flush(), or with another line 10 ms later or more.
  void add(const nlohmann::json& line);
  // A line about the devices and links that the following windows are planned for, if it is news.
  void add_platform(const nlohmann::json& platform);
  // Counts a command that went straight to the home's own queue, and why if it is a kernel. `line` is the
  // program's source line, 0: not known.
  void count_native(cl_command_type type);
  void count_native_kernel(const std::string& name, const std::string& reason, int line);

  // Writes what was added: before a program learns that all captured work is done, and at exit. The file is
  // opened and closed here: no descriptor of ours stays in the program. One that another process is writing
  // is left to that one (common/trace_owner.hpp).
  void flush();

private:
  // With the mutex held.
  void add_native();
  void write_out();
  void write_if_due();
  std::string claim(int fd);
  std::string first_line() const;

  using NativeKernel = std::tuple<std::string, std::string, int>;  // name, reason, source line

  const Configuration& configuration_;
  const bool on_;
  std::mutex mutex_;
  std::string text_;
  std::string header_;  // the file's first line, once it is written
  bool broken_ = false;
  cl_ulong written_at_ = 0;
  std::string platform_;
  // Since the last line about them; kernels stay as keys, so that a new one is noticed.
  std::map<std::string, uint64_t> native_commands_;
  std::map<NativeKernel, uint64_t> native_kernels_;
  bool native_changed_ = false;
};

}  // namespace mkmd
