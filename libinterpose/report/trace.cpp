// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/report/trace.hpp"

#include "common/files.hpp"
#include "common/host_clock.hpp"
#include "common/log.hpp"
#include "common/process.hpp"
#include "common/trace_owner.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mkmd {

namespace {

constexpr size_t kBuffered = 64 << 10;
constexpr cl_ulong kOldest = 10'000'000;  // nanoseconds a line waits at most while others follow it

// What drivers and programs call things need not be UTF-8.
std::string text_of(const nlohmann::json& line) {
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
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

// Whether the file still begins with what this process wrote there.
bool is_ours(int fd, const std::string& header) {
  std::string start(header.size(), '\0');
  return pread(fd, start.data(), start.size(), 0) == static_cast<ssize_t>(start.size()) && start == header;
}

}  // namespace

std::string Trace::first_line() const {
  nlohmann::json devices = nlohmann::json::array();
  const Configuration& p = configuration_;
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

std::string Trace::line_about(const Native& native) {
  if (!native.changed) return {};
  nlohmann::json kernels = nlohmann::json::array();
  for (const auto& [kernel, launches] : native.kernels) {
    if (launches.count == 0 && launches.seconds == 0) continue;
    kernels.push_back({{"kernel", kernel.name},
                       {"launches", launches.count},
                       {"seconds", launches.seconds},
                       {"whole_because", kernel.reason},
                       {"line", kernel.line}});
  }
  return text_of({{"native", {{"commands", native.commands}, {"kernels", kernels}}}});
}

// Makes a regular file this process's, or finds that it still is; otherwise the sentence that says whose it
// is. The lock is for two that begin at once; it ends with the descriptor, before the program goes on.
std::string Trace::claim(int fd) {
  const std::string& file = configuration_.settings.trace;
  if (!header_.empty()) {
    return is_ours(fd, header_) ? ""
                                : file + " no longer begins with what this process wrote; no more is "
                                         "traced: each needs a file of its own";
  }
  if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return "another process is writing " + file + ", so this one is not traced";
  if (const pid_t other = other_writer(fd); other != 0) return written_by(other, file);
  if (ftruncate(fd, 0) == 0) return {};
  return "cannot write " + file + ": " + std::strerror(errno) + "; nothing is traced";
}

std::string Trace::take_text() {
  std::vector<std::function<std::string()>> lines;
  Native native;
  {
    const Lock lock(mutex_);
    lines.swap(lines_);
    bytes_ = 0;
    written_at_ = host_nanoseconds();
    if (native_.changed) native = native_;
    native_.changed = false;
    native_.commands.clear();
    for (auto& [kernel, launches] : native_.kernels)
      launches = {};
  }
  std::string text;
  for (const auto& line : lines)
    text += line();
  return text + line_about(native);
}

// Whole lines, by one call: a process killed at any moment leaves at most its last line cut off.
void Trace::write_out() {
  if (broken_.load()) return;
  const Lock writing(file_mutex_);
  std::string text = take_text();
  if (text.empty()) return;
  const std::string& file = configuration_.settings.trace;
  const NoWriteSignals quiet;
  struct stat about {};
  const bool regular =
      stat(file.c_str(), &about) != 0 || S_ISREG(about.st_mode);  // a pipe cannot be read back
  const int fd = open_named_output(file, (regular ? O_RDWR : O_WRONLY) | O_APPEND);
  int error = fd < 0 ? errno : 0;
  std::string problem;
  if (fd >= 0 && regular) problem = claim(fd);
  if (header_.empty()) text = (header_ = first_line()) + text;
  if (problem.empty() && fd >= 0 && !write_all(fd, text)) error = errno != 0 ? errno : EIO;
  if (error != 0) problem = "cannot write " + file + ": " + std::strerror(error) + "; no more is traced";
  if (!problem.empty()) log(LogLevel::warning, "MKMD_TRACE: " + problem);
  broken_.store(!problem.empty());
  if (fd >= 0) close(fd);
}

bool Trace::is_due() const {
  return bytes_ >= kBuffered || host_nanoseconds() - written_at_ >= kOldest;
}

void Trace::add(const nlohmann::json& line) {
  if (broken_.load()) return;
  std::string text = text_of(line);
  bool due = false;
  {
    const Lock lock(mutex_);
    bytes_ += text.size();
    lines_.emplace_back([text = std::move(text)] { return text; });
    due = is_due();
  }
  if (due) write_out();
}

void Trace::add_later(std::function<nlohmann::json()> line) {
  const Lock lock(mutex_);
  if (!broken_.load()) lines_.emplace_back([line = std::move(line)] { return text_of(line()); });
}

void Trace::add_platform(const nlohmann::json& platform) {
  std::string text = text_of({{"platform", platform}});
  const Lock lock(mutex_);
  if (text == platform_ || broken_.load()) return;
  lines_.emplace_back([text] { return text; });
  platform_ = std::move(text);
}

void Trace::count_native(cl_command_type type) {
  bool due = false;
  {
    const Lock lock(mutex_);
    ++native_.commands[name_of(type)];
    native_.changed = true;
    due = is_due();
  }
  if (due) write_out();
}

void Trace::count_native_kernel(const NativeKernel& kernel, vendor::Owned<cl_event> event) {
  constexpr size_t kMostUntimed = 1024;
  bool first = false, many = false;
  {
    const Lock lock(mutex_);
    first = !native_.kernels.contains(kernel);
    ++native_.kernels[kernel].count;
    native_.changed = true;
    if (event) untimed_.emplace_back(kernel, std::move(event));
    many = untimed_.size() >= kMostUntimed && untimed_.size() % kMostUntimed == 0;
  }
  if (first) write_out();  // why a kernel is not split is known whatever happens next
  if (many) time_native_kernels();
}

void Trace::time_native_kernels() {
  std::vector<std::pair<NativeKernel, vendor::Owned<cl_event>>> asked, unfinished;
  {
    const Lock lock(mutex_);
    asked.swap(untimed_);
  }
  std::map<NativeKernel, double> seconds;
  for (auto& launch : asked) {
    const cl_event event = launch.second.get();
    const cl_icd_dispatch& calls = vendor::table(event);
    cl_int status = CL_QUEUED;
    calls.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    if (status > CL_COMPLETE) {
      unfinished.push_back(std::move(launch));
      continue;
    }
    cl_ulong start = 0, end = 0;
    const auto ask = [&](cl_profiling_info what, cl_ulong& time) {
      return calls.clGetEventProfilingInfo(event, what, sizeof time, &time, nullptr) == CL_SUCCESS;
    };
    if (ask(CL_PROFILING_COMMAND_START, start) && ask(CL_PROFILING_COMMAND_END, end) && end > start)
      seconds[launch.first] += 1e-9 * static_cast<double>(end - start);
  }
  const Lock lock(mutex_);
  std::ranges::move(unfinished, std::back_inserter(untimed_));
  for (const auto& [kernel, sum] : seconds)
    native_.kernels[kernel].seconds += sum;
  native_.changed |= !seconds.empty();
}

void Trace::flush() {
  if (on_) write_out();
}

}  // namespace mkmd
