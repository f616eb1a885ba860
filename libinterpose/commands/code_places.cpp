// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/commands/code_places.hpp"

#include "libinterpose/execution/action.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace mkmd {

CodePlaces place_code(const Configuration& configuration, const std::vector<Lane*>& lanes, const Lane* home,
                      size_t runtime) {
  const auto platform_of = [&](const Lane& lane) {
    return configuration.lane_device(static_cast<size_t>(lane.device)).platform;
  };
  std::map<cl_platform_id, size_t> all;
  for (const Lane* lane : lanes)
    all[platform_of(*lane)] += lane != home;
  std::map<cl_platform_id, size_t> before;
  CodePlaces places;
  for (Lane* lane : lanes) {
    const cl_platform_id platform = platform_of(*lane);
    const std::optional<size_t> most = vendor::queues_of_a_program(platform);
    size_t copy = 0;
    if (most) {
      copy = (all[platform] + *most - 1) / *most * runtime;
      if (lane != home) copy += before[platform]++ / *most;
    }
    const CodePlace place{
        lane->native_context, copy > 0 ? " -D MKMD_COPY=" + std::to_string(copy) : std::string(), {}};
    const auto known = std::find(places.all.begin(), places.all.end(), place);
    lane->code = static_cast<size_t>(known - places.all.begin());
    if (known == places.all.end()) places.all.push_back(place);
    if (places.of_device.size() == configuration.devices.size()) continue;  // home's own lane
    std::string& names = places.all[lane->code].devices;
    names += (names.empty() ? "" : ", ") + configuration.lane_device(static_cast<size_t>(lane->device)).name;
    places.of_device.push_back(lane->code);
  }
  return places;
}

}  // namespace mkmd
