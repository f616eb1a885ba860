// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/commands/code_places.hpp"

#include "libinterpose/execution/action.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace mkmd {

std::vector<CodePlace> place_code(const Configuration& configuration, const std::vector<Lane*>& lanes,
                                  const Lane* home, size_t runtime) {
  const auto platform_of = [&](const Lane& lane) {
    return configuration.lane_device(static_cast<size_t>(lane.device)).platform;
  };
  std::map<cl_platform_id, size_t> all;
  for (const Lane* lane : lanes)
    all[platform_of(*lane)] += lane != home;
  std::map<cl_platform_id, size_t> before;
  std::vector<CodePlace> places;
  for (Lane* lane : lanes) {
    const cl_platform_id platform = platform_of(*lane);
    const std::optional<size_t> most = vendor::queues_of_a_program(platform);
    size_t copy = 0;
    if (most) {
      copy = (all[platform] + *most - 1) / *most * runtime;
      if (lane != home) copy += before[platform]++ / *most;
    }
    const CodePlace place{lane->native_context,
                          copy > 0 ? " -D MKMD_COPY=" + std::to_string(copy) : std::string(),
                          configuration.machine};
    const auto known = std::find(places.begin(), places.end(), place);
    lane->code = static_cast<size_t>(known - places.begin());
    if (known == places.end()) places.push_back(place);
  }
  return places;
}

}  // namespace mkmd
