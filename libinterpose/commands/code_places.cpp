// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/commands/code_places.hpp"

#include "compiler/build_options.hpp"
#include "libinterpose/execution/action.hpp"
#include "libinterpose/vendor/pocl.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace mkmd {

std::string choose_code(Lane& lane, cl_platform_id platform, const std::string& copy) {
  // Ids by offset leave a kernel's text as the program wrote it. Compilers may make other code of ids that
  // are computed: Intel's one bounds a loop over work-items by `if (get_global_id(0) < n)`.
  lane.code.by_offset = !vendor::compiles_for_offsets(platform);
  std::string options;
  if (lane.code.by_offset) options += std::string(" -D ") + compiler::kByOffset;
  if (!copy.empty()) options += " -D MKMD_COPY=" + copy;
  return options;
}

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
    const CodePlace place{lane->native_context,
                          choose_code(*lane, platform, copy > 0 ? std::to_string(copy) : std::string()),
                          {},
                          lane->code.by_offset};
    const auto known = std::find(places.all.begin(), places.all.end(), place);
    lane->code.place = static_cast<size_t>(known - places.all.begin());
    if (known == places.all.end()) places.all.push_back(place);
    if (places.of_device.size() == configuration.devices.size()) continue;  // home's own lane
    std::string& names = places.all[lane->code.place].devices;
    names += (names.empty() ? "" : ", ") + configuration.lane_device(static_cast<size_t>(lane->device)).name;
    places.of_device.push_back(lane->code.place);
  }
  return places;
}

}  // namespace mkmd
