// SPDX-License-Identifier: Apache-2.0
// A trace recorded by `mkmd run` as input of `mkmd simulate`. Every window is a graph of its own, scheduled
// as if all devices were free. The makespans add up.
#pragma once

#include "tools/simulate/report.hpp"

#include <ostream>
#include <string>
#include <vector>

namespace mkmd {

struct TraceRequest {
  std::string trace;
  std::string platform;               // a file; empty: the recorded one
  std::string output;                 // a file; empty: none. For one policy
  std::vector<std::string> policies;  // "all" stands for each
  Disturbance disturbance;
  BoundOptions bounds;  // seconds_each is for all windows together
};

// With one policy a line per window and the sum; with several, a line per policy.
Status simulate_trace(const TraceRequest& request, std::ostream& out);

}  // namespace mkmd
