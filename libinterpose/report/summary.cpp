// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/report/summary.hpp"

#include "common/files.hpp"
#include "common/log.hpp"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace mkmd {

namespace {

std::string absolute(const std::string& file) {
  std::error_code gone;  // the folder that the process is in
  const std::string path = file.empty() ? file : std::filesystem::absolute(file, gone).string();
  return gone ? file : path;
}

}  // namespace

Summary::Summary(const Configuration& configuration)
    : configuration_(configuration), file_(absolute(configuration.settings.summary)),
      devices_(new Device[configuration.lane_count()]) {}

void Summary::add_piece(int device, uint64_t groups, double seconds) {
  Device& d = devices_[device];
  d.groups.fetch_add(groups, std::memory_order_relaxed);
  d.nanoseconds.fetch_add(static_cast<uint64_t>(seconds * 1e9), std::memory_order_relaxed);
}

void Summary::add_window(const Balance::Outcome& window) {
  const Lock lock(mutex_);
  balance_.add(window);
}

nlohmann::json Summary::exploring() const {
  const Lock lock(mutex_);
  return {{"windows", balance_.explored}, {"of", balance_.windows}, {"seconds", exploring_.load()}};
}

nlohmann::json Summary::best_single() const {
  const Lock lock(mutex_);
  const int best = balance_.best();
  if (best < 0) return nullptr;
  return {{"name", configuration_.lane_device(static_cast<size_t>(best)).name},
          {"seconds", balance_.alone[best].seconds},
          {"seconds_here", balance_.taken}};
}

std::string Summary::why_unused(size_t device) const {
  const Lock lock(mutex_);
  if (balance_.windows == 0) return "no launch was worth splitting";
  const int best = balance_.best();
  const Balance::Alone& alone = balance_.alone[device];
  if (best < 0 || alone.measured < alone.seconds / 2) return "most kernels have not run there";
  char seconds[96];
  std::snprintf(seconds, sizeof seconds,
                "alone it takes %.3g s for captured work, and %.3g s are enough for ", alone.seconds,
                balance_.alone[best].seconds);
  return seconds + configuration_.lane_device(static_cast<size_t>(best)).name;
}

void Summary::say_unused(const std::function<bool(int)>& left_out) const {
  constexpr double kNextToNone = 0.01;
  const Configuration& p = configuration_;
  if (p.settings.devices.empty()) return;
  double all = 0;
  for (size_t lane = 0; lane < p.lane_count(); ++lane)
    all += static_cast<double>(devices_[lane].groups.load());
  for (size_t d = 1; d < p.devices.size(); ++d) {
    if (static_cast<double>(devices_[d].groups.load()) > kNextToNone * all) continue;
    const bool failed = left_out(static_cast<int>(d));
    log(LogLevel::info,
        p.devices[d].name + " was left unused: " + (failed ? "it has failed" : why_unused(d)));
  }
}

void Summary::write(const Hardware& hardware) const {
  if (file_.empty()) return;
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
                            {"kernels_whole", whole_.load()},
                            {"kernels_known", known_.load()},
                            {"best_single_device", best_single()},
                            {"exploring", exploring()}};
  hardware.add_to_summary(summary);
  const NoWriteSignals quiet;
  const std::string text = summary.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
  const int fd = open_named_output(file_, O_WRONLY);
  const bool truncated = fd >= 0 && (ftruncate(fd, 0) == 0 || errno == EINVAL);  // a pipe has no length
  if (!truncated || !write_all(fd, text))
    log(LogLevel::warning, "MKMD_SUMMARY: cannot write " + file_ + ": " + std::strerror(errno));
  if (fd >= 0) close(fd);
}

}  // namespace mkmd
