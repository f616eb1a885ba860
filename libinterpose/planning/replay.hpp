// SPDX-License-Identifier: Apache-2.0
// Plans a recorded window again, away from the program and its devices.
#pragma once

#include "common/status.hpp"
#include "libinterpose/planning/plan.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace mkmd::planning {

struct Replayed {
  Plan plan;
  std::string difference;  // from what was decided then: the first; empty: none
};

// `window`: a line of the trace, with `planned`. The policy's answer is the recorded one, because policies
// may depend on how busy the machine was. A graph that differs from the recorded one is a difference.
Result<Replayed> replay(const nlohmann::json& window);

}  // namespace mkmd::planning
