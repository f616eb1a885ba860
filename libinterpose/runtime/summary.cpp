// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/runtime/summary.hpp"

#include "common/files.hpp"
#include "common/log.hpp"
#include "libinterpose/emulation/report.hpp"
#include "libinterpose/process.hpp"

#include <nlohmann/json.hpp>

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

namespace mkmd {

namespace {

struct DeviceTotals {
  std::atomic<uint64_t> groups{0};
  std::atomic<uint64_t> nanoseconds{0};
};

struct Totals {
  std::unique_ptr<DeviceTotals[]> devices{new DeviceTotals[process().lane_count()]};
  std::atomic<uint64_t> split{0};
  std::atomic<uint64_t> whole{0};
  std::atomic<uint64_t> bytes{0};
};

Totals& totals() {
  static auto* all = new Totals;
  return *all;
}

}  // namespace

void add_piece(int device, uint64_t groups, double seconds) {
  DeviceTotals& d = totals().devices[device];
  d.groups.fetch_add(groups, std::memory_order_relaxed);
  d.nanoseconds.fetch_add(static_cast<uint64_t>(seconds * 1e9), std::memory_order_relaxed);
}

void add_kernel(bool split) {
  (split ? totals().split : totals().whole).fetch_add(1, std::memory_order_relaxed);
}

void add_bytes_moved(uint64_t bytes) {
  totals().bytes.fetch_add(bytes, std::memory_order_relaxed);
}

void write_summary() {
  const std::string& file = process().settings.summary;
  if (file.empty()) return;
  const Process& p = process();
  const auto line = [&](size_t lane) -> nlohmann::json {
    const DeviceTotals& t = totals().devices[lane];
    return {{"name", p.lane_device(lane).name},
            {"groups", t.groups.load()},
            {"seconds_busy", static_cast<double>(t.nanoseconds.load()) * 1e-9}};
  };
  nlohmann::json devices = nlohmann::json::array();
  for (size_t d = 0; d < p.devices.size(); ++d)
    devices.push_back(line(d));
  nlohmann::json summary = {{"devices", devices},
                            {"whole", p.home_is_whole() ? line(p.home_index()) : nlohmann::json()},
                            {"bytes_moved", totals().bytes.load()},
                            {"kernels_split", totals().split.load()},
                            {"kernels_whole", totals().whole.load()}};
  if (process().machine != nullptr) summary["emulation"] = emulation::summary_of(*process().machine);
  const NoWriteSignals quiet;
  const std::string text = summary.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
  const int fd = open_named_output(file, O_WRONLY);
  const bool truncated = fd >= 0 && (ftruncate(fd, 0) == 0 || errno == EINVAL);  // a pipe has no length
  const bool written = truncated && write_all(fd, text);
  if (fd >= 0) close(fd);
  if (!written) log(LogLevel::warning, "MKMD_SUMMARY: cannot write " + file);
}

}  // namespace mkmd
