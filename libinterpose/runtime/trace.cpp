// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/runtime/trace.hpp"

#include "common/files.hpp"
#include "common/log.hpp"
#include "libinterpose/process.hpp"

#include <fcntl.h>
#include <mutex>
#include <unistd.h>

namespace mkmd {

namespace {

constexpr size_t kBuffered = 64 << 10;

struct Buffer {
  std::mutex mutex;
  std::string text;
  bool begun = false;
  bool broken = false;
};

Buffer& buffer() {
  static auto* const one = new Buffer;
  return *one;
}

std::string header() {
  nlohmann::json devices = nlohmann::json::array();
  const Process& p = process();
  for (size_t d = 0; d < p.devices.size(); ++d) {
    devices.push_back(
        {{"name", p.devices[d].name}, {"device", p.devices[d].device_name}, {"memory", p.domain[d]}});
  }
  nlohmann::json line{{"trace", "mkmd"}, {"format", 1}, {"pid", getpid()}, {"devices", devices}};
  if (p.home_is_whole()) line["whole"] = {{"name", p.home.name}, {"index", p.home_index()}};
  return line.dump() + "\n";
}

// With the buffer's mutex held.
void write_out(Buffer& b) {
  if (b.broken || b.text.empty()) return;
  const std::string& file = process().settings.trace;
  const NoWriteSignals quiet;
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (b.begun ? O_APPEND : O_TRUNC), 0644);
  const std::string text = (b.begun ? "" : header()) + b.text;
  if (fd < 0 || write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    log(LogLevel::warning, "MKMD_TRACE: cannot write " + file + "; no more is traced");
    b.broken = true;
  }
  if (fd >= 0) close(fd);
  b.begun = true;
  b.text.clear();
}

}  // namespace

bool tracing() {
  static const bool on = !process().settings.trace.empty();
  return on;
}

void trace(const nlohmann::json& line) {
  if (!tracing()) return;
  Buffer& b = buffer();
  std::lock_guard lock(b.mutex);
  b.text += line.dump();
  b.text += '\n';
  if (b.text.size() >= kBuffered) write_out(b);
}

void trace_flush() {
  if (!tracing()) return;
  Buffer& b = buffer();
  std::lock_guard lock(b.mutex);
  write_out(b);
}

}  // namespace mkmd
