// SPDX-License-Identifier: Apache-2.0
// What becomes known of a piece that crashes on poison. While the piece runs, the signals of a crash write
// one line to a file before they do what they would have done.
#pragma once

#include <string>

namespace mkmd::verify {

class CrashGuard {
public:
  // One at a time in a process.
  explicit CrashGuard(const std::string& file);
  ~CrashGuard();
  CrashGuard(const CrashGuard&) = delete;
  CrashGuard& operator=(const CrashGuard&) = delete;

  // What to write; empty: nothing.
  static void set_line(const std::string& line);
};

}  // namespace mkmd::verify
