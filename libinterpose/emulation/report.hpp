// SPDX-License-Identifier: Apache-2.0
// What an emulated run says of itself: for the summary, and at the end of the run.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace mkmd::emulation {

class Machine;

nlohmann::json summary_of(const Machine& machine);

// Warns if the run is void.
void report(const Machine& machine);

}  // namespace mkmd::emulation
