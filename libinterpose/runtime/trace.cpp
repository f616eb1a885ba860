// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/runtime/trace.hpp"

#include "common/files.hpp"
#include "common/host_clock.hpp"
#include "common/log.hpp"
#include "common/process.hpp"
#include "common/trace_owner.hpp"
#include "libinterpose/process.hpp"

#include <cerrno>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <sys/file.h>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

namespace mkmd {

namespace {

constexpr size_t kBuffered = 64 << 10;
constexpr cl_ulong kOldest = 10'000'000;  // nanoseconds a line waits at most while others follow it

using NativeKernel = std::tuple<std::string, std::string, int>;  // name, reason, source line

struct Buffer {
  std::mutex mutex;
  std::string text;
  std::string header;  // the file's first line, once it is written
  bool broken = false;
  cl_ulong written_at = 0;
  std::string platform;
  // Since the last line about them; kernels stay as keys, so that a new one is noticed.
  std::map<std::string, uint64_t> native_commands;
  std::map<NativeKernel, uint64_t> native_kernels;
  bool native_changed = false;
};

Buffer& buffer() {
  static auto* const one = new Buffer;
  return *one;
}

// What drivers and programs call things need not be UTF-8.
std::string text_of(const nlohmann::json& line) {
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

std::string header() {
  nlohmann::json devices = nlohmann::json::array();
  const Process& p = process();
  for (size_t d = 0; d < p.devices.size(); ++d) {
    devices.push_back(
        {{"name", p.devices[d].name}, {"device", p.devices[d].device_name}, {"memory", p.domain[d]}});
  }
  nlohmann::json line{{"trace", "mkmd"}, {"format", 2}, {"pid", getpid()}, {"devices", devices}};
  line["began"] = process_began(getpid());
  if (p.home_is_whole()) {
    nlohmann::json parts = nlohmann::json::array();
    for (size_t d = 0; d < p.devices.size(); ++d) {
      if (p.devices[d].parent == p.home.id) parts.push_back(d);
    }
    line["whole"] = {{"name", p.home.name}, {"index", p.home_index()}, {"parts", parts}};
  }
  return text_of(line);
}

std::string name_of(cl_command_type type) {
  // CL_COMMAND_NDRANGE_KERNEL and what follows it.
  static constexpr const char* kNames[] = {"kernel",
                                           "task",
                                           "native kernel",
                                           "read",
                                           "write",
                                           "copy",
                                           "read image",
                                           "write image",
                                           "copy image",
                                           "image to buffer",
                                           "buffer to image",
                                           "map",
                                           "map image",
                                           "unmap",
                                           "marker",
                                           "acquire GL",
                                           "release GL",
                                           "read rect",
                                           "write rect",
                                           "copy rect",
                                           "user",
                                           "barrier",
                                           "migrate",
                                           "fill",
                                           "fill image",
                                           "SVM free",
                                           "SVM copy",
                                           "SVM fill",
                                           "SVM map",
                                           "SVM unmap"};
  const cl_command_type index = type - CL_COMMAND_NDRANGE_KERNEL;
  return index < std::size(kNames) ? kNames[index] : "other";
}

// With the buffer's mutex held.
void add_native(Buffer& b) {
  if (!std::exchange(b.native_changed, false)) return;
  nlohmann::json kernels = nlohmann::json::array();
  for (auto& [kernel, count] : b.native_kernels) {
    if (count == 0) continue;
    const auto& [name, reason, line] = kernel;
    kernels.push_back({{"kernel", name}, {"launches", count}, {"whole_because", reason}, {"line", line}});
    count = 0;
  }
  b.text += text_of({{"native", {{"commands", b.native_commands}, {"kernels", kernels}}}});
  b.native_commands.clear();
}

// Whether the file still begins with what this process wrote there.
bool is_ours(int fd, const std::string& header) {
  std::string start(header.size(), '\0');
  return pread(fd, start.data(), start.size(), 0) == static_cast<ssize_t>(start.size()) && start == header;
}

// Makes a regular file this process's, or finds that it still is; otherwise the sentence that says whose it
// is. The lock is for two that begin at once; it ends with the descriptor, before the program goes on.
std::string claim(Buffer& b, int fd, const std::string& file) {
  if (!b.header.empty()) {
    return is_ours(fd, b.header) ? ""
                                 : file + " no longer begins with what this process wrote; no more is "
                                          "traced: each needs a file of its own";
  }
  if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return "another process is writing " + file + ", so this one is not traced";
  if (const pid_t other = other_writer(fd); other != 0) return written_by(other, file);
  return ftruncate(fd, 0) == 0 ? "" : "cannot write " + file + "; nothing is traced";
}

// With the buffer's mutex held. Whole lines, by one call: a process killed at any moment leaves at most its
// last line cut off.
void write_out(Buffer& b) {
  if (b.broken) return;
  add_native(b);
  if (b.text.empty()) return;
  const std::string& file = process().settings.trace;
  const NoWriteSignals quiet;
  struct stat about {};
  const bool regular =
      stat(file.c_str(), &about) != 0 || S_ISREG(about.st_mode);  // a pipe cannot be read back
  const int fd = open_named_output(file, (regular ? O_RDWR : O_WRONLY) | O_APPEND);
  std::string problem;
  if (fd >= 0 && regular) problem = claim(b, fd, file);
  std::string text = std::move(b.text);
  b.text.clear();
  if (b.header.empty()) text = (b.header = header()) + text;
  if (problem.empty() && (fd < 0 || !write_all(fd, text)))
    problem = "cannot write " + file + "; no more is traced";
  if (!problem.empty()) log(LogLevel::warning, "MKMD_TRACE: " + problem);
  b.broken = !problem.empty();
  if (fd >= 0) close(fd);
  b.written_at = host_nanoseconds();
}

void write_if_due(Buffer& b) {
  if (b.text.size() >= kBuffered || host_nanoseconds() - b.written_at >= kOldest) write_out(b);
}

}  // namespace

bool tracing() {
  static const bool on = !process().settings.trace.empty();
  return on;
}

void trace(const nlohmann::json& line) {
  Buffer& b = buffer();
  std::lock_guard lock(b.mutex);
  if (b.broken) return;
  b.text += text_of(line);
  write_if_due(b);
}

void trace_platform(const nlohmann::json& platform) {
  Buffer& b = buffer();
  std::lock_guard lock(b.mutex);
  std::string line = text_of({{"platform", platform}});
  if (line == b.platform || b.broken) return;
  b.text += line;
  b.platform = std::move(line);
}

void trace_native(cl_command_type type) {
  Buffer& b = buffer();
  std::lock_guard lock(b.mutex);
  ++b.native_commands[name_of(type)];
  b.native_changed = true;
  write_if_due(b);
}

void trace_native_kernel(const std::string& name, const std::string& reason, int line) {
  Buffer& b = buffer();
  std::lock_guard lock(b.mutex);
  const bool first = b.native_kernels.empty() || !b.native_kernels.contains({name, reason, line});
  ++b.native_kernels[{name, reason, line}];
  b.native_changed = true;
  if (first) write_out(b);  // why a kernel is not split is known whatever happens next
}

void trace_flush() {
  if (!tracing()) return;
  Buffer& b = buffer();
  std::lock_guard lock(b.mutex);
  write_out(b);
}

}  // namespace mkmd
