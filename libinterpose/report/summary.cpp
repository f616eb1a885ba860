// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/report/summary.hpp"

#include "common/files.hpp"
#include "common/log.hpp"
#include "libinterpose/emulation/report.hpp"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace mkmd {

void Summary::add_piece(int device, uint64_t groups, double seconds) {
  Device& d = devices_[device];
  d.groups.fetch_add(groups, std::memory_order_relaxed);
  d.nanoseconds.fetch_add(static_cast<uint64_t>(seconds * 1e9), std::memory_order_relaxed);
}

void Summary::write() const {
  const std::string& file = configuration_.settings.summary;
  if (file.empty()) return;
  const Configuration& p = configuration_;
  const auto line = [&](size_t lane) -> nlohmann::json {
    const Device& t = devices_[lane];
    return {{"name", p.lane_device(lane).name},
            {"groups", t.groups.load()},
            {"seconds_busy", static_cast<double>(t.nanoseconds.load()) * 1e-9}};
  };
  nlohmann::json devices = nlohmann::json::array();
  for (size_t d = 0; d < p.devices.size(); ++d)
    devices.push_back(line(d));
  nlohmann::json summary = {{"devices", devices},
                            {"whole", p.home_is_whole() ? line(p.home_index()) : nlohmann::json()},
                            {"bytes_moved", bytes_.load()},
                            {"kernels_split", split_.load()},
                            {"kernels_whole", whole_.load()}};
  if (p.machine != nullptr) summary["emulation"] = emulation::summary_of(*p.machine);
  const NoWriteSignals quiet;
  const std::string text = summary.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
  const int fd = open_named_output(file, O_WRONLY);
  const bool truncated = fd >= 0 && (ftruncate(fd, 0) == 0 || errno == EINVAL);  // a pipe has no length
  const bool written = truncated && write_all(fd, text);
  if (fd >= 0) close(fd);
  if (!written) log(LogLevel::warning, "MKMD_SUMMARY: cannot write " + file);
}

}  // namespace mkmd
