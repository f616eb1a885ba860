// SPDX-License-Identifier: Apache-2.0
// Calibration of an emulated machine. It measures the machine and does not read the rates of the platform
// file. Only the size of its measurements follows the size of the problem, as that of any benchmark
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
