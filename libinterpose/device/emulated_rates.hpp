// SPDX-License-Identifier: Apache-2.0
// What calibration finds on an emulated machine. It measures what the machine does and cannot see the
// platform file's rates; only the size of what it measures follows the problem's, as that of any benchmark
// should.
#pragma once

#include "libinterpose/emulation/machine.hpp"
#include "libinterpose/timing/calibration.hpp"
#include "scheduler/problem.hpp"

namespace mkmd {

Calibration emulated_rates(emulation::Machine& machine);

// Between any two memories, by domain.
std::vector<scheduler::Link> emulated_links(emulation::Machine& machine);

}  // namespace mkmd
