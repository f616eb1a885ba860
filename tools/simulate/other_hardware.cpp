// SPDX-License-Identifier: Apache-2.0
#include "tools/simulate/other_hardware.hpp"

#include "common/files.hpp"
#include "common/json.hpp"
#include "platform/json.hpp"

#include <algorithm>
#include <fstream>

namespace mkmd {

using namespace scheduler;

namespace {

// The larger of what computing and what moving takes; 0: not known.
double roofline(double operations, double bytes, const platform::Rates& rates) {
  double seconds = 0;
  if (operations > 0 && rates.operations > 0) seconds = operations / rates.operations;
  if (bytes > 0 && rates.bytes > 0) seconds = std::max(seconds, bytes / rates.bytes);
  return seconds;
}

// Which device of the problem each new one is like.
Result<std::vector<size_t>> find_alike(const std::vector<Device>& old, const std::vector<Device>& devices,
                                       const Counts& counts) {
  std::vector<size_t> like;
  for (size_t d = 0; d < devices.size(); ++d) {
    const auto of_class = [&](const Device& o) { return o.device_class == devices[d].device_class; };
    const auto first = std::find_if(old.begin(), old.end(), of_class);
    const auto same =
        std::find_if(old.begin(), old.end(), [&](const Device& o) { return o.name == devices[d].name; });
    if (same != old.end()) {
      like.push_back(static_cast<size_t>(same - old.begin()));
    } else if (std::count_if(old.begin(), old.end(), of_class) == 1) {
      like.push_back(static_cast<size_t>(first - old.begin()));
    } else if (!counts.rates.empty() && devices[d].rates.operations > 0) {
      like.push_back(first != old.end() ? static_cast<size_t>(first - old.begin()) : 0);
    } else {
      return Status::internal("nothing is known about device \"" + devices[d].name +
                              "\": no device of the input has its name" +
                              (counts.rates.empty() ? "" : ", and the file gives no rates for it"));
    }
  }
  return like;
}

}  // namespace

Status write_file(const std::string& path, const nlohmann::ordered_json& json) {
  std::ofstream file(path);
  file << json.dump() << "\n";
  file.flush();
  return file ? Status{} : Status::internal(path + ": cannot be written");
}

Status move_to_platform(Problem& problem, const std::string& path, const Counts& counts) {
  Result<std::string> text = read_file(path, kLargestInput);
  if (!text) return text.status();
  Result<nlohmann::json> parsed = parse_json(*text);
  if (!parsed) return Status::internal(path + ": not JSON: " + parsed.status().message());
  nlohmann::json json = std::move(*parsed);
  if (json.is_object() && json.contains("platform")) json = json["platform"];
  if (!json.is_object()) return Status::internal(path + ": not a JSON object with a platform");
  Result<Platform> platform = platform::from_json(json);
  if (!platform) return Status::internal(path + ": " + platform.status().message());
  const auto& old = problem.platform.devices;
  const Result<std::vector<size_t>> like = find_alike(old, platform->devices, counts);
  if (!like) return Status::internal(path + ": " + like.status().message());

  for (size_t i = 0; i < problem.graph.tasks.size(); ++i) {
    Task& t = problem.graph.tasks[i];
    std::vector<double> times;
    int pinned = -1;
    for (size_t d = 0; d < like->size(); ++d) {
      const size_t l = (*like)[d];
      times.push_back(t.times[l]);
      if (!counts.rates.empty() && i < counts.operations.size()) {
        const double before = roofline(counts.operations[i], counts.bytes[i], counts.rates[l]);
        const double after = roofline(counts.operations[i], counts.bytes[i], platform->devices[d].rates);
        if (before > 0 && after > 0) times.back() *= after / before;
      }
      if (t.pinned >= 0 && pinned < 0 && static_cast<size_t>(t.pinned) == l) pinned = static_cast<int>(d);
    }
    if (t.pinned >= 0 && pinned < 0)
      return Status::internal(path + ": no device for what is pinned to " + old[t.pinned].name);
    t.times = std::move(times);
    t.pinned = pinned;
  }
  problem.platform = std::move(*platform);
  problem.graph.resident.clear();
  return check(problem);
}

}  // namespace mkmd
