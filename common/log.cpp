// SPDX-License-Identifier: Apache-2.0
#include "common/log.hpp"

#include "common/files.hpp"
#include "common/text.hpp"
#include "common/thread_annotations.hpp"

#include <atomic>
#include <set>
#include <unistd.h>

namespace mkmd {

namespace {
std::atomic<LogLevel> level_now{LogLevel::warning};
}

void set_log_level(LogLevel level) {
  level_now.store(level, std::memory_order_relaxed);
}

bool log_enabled(LogLevel level) {
  return level <= level_now.load(std::memory_order_relaxed);
}

void log(LogLevel level, const std::string& line) {
  if (level == LogLevel::quiet || !log_enabled(level)) return;
  const NoWriteSignals quiet;  // a closed stderr ends the program when the program says so, not when we do
  // One write per line: lines of several threads and processes do not mix.
  const std::string text = "mkmd: " + printable(line) + "\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

void log_once(LogLevel level, const std::string& line) {
  static auto* const mutex = new Mutex;
  static auto* const said = new std::set<std::string>;
  {
    const Lock lock(*mutex);
    if (!said->insert(line).second) return;
  }
  log(level, line);
}

}  // namespace mkmd
