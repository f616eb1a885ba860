// SPDX-License-Identifier: Apache-2.0
// A problem on another platform, read from a file, and the files of `mkmd simulate`.
#pragma once

#include "common/status.hpp"
#include "scheduler/problem.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace mkmd {

inline constexpr uint64_t kLargestInput = 96'000'000;  // bytes

Status write_file(const std::string& path, const nlohmann::ordered_json& json);

// What a problem's source knows beyond the problem.
struct Counts {
  std::vector<platform::Rates> rates;     // by device
  std::vector<double> operations, bytes;  // by task
};

// The same graph on the platform in the file. A device takes the times of the problem's device of its name,
// or of the only one of its class. Where the file gives rates ({"operations", "bytes"} per second) and the
// counts are known, the device may be of another kind. Times are then scaled by how much longer the larger
// of operations / rate and bytes / rate becomes.
Status move_to_platform(scheduler::Problem& problem, const std::string& path, const Counts& counts);

}  // namespace mkmd
