// SPDX-License-Identifier: Apache-2.0
// What calibration finds on an emulated machine. It measures what the machine does and cannot see the
// platform file's rates; only the size of what it measures follows the problem's, as that of any benchmark
// should.
#pragma once

#include "libinterpose/emulation/machine.hpp"
#include "libinterpose/runtime/calibration.hpp"
#include "scheduler/problem.hpp"

namespace mkmd {

std::vector<DeviceRates> emulated_rates(emulation::Machine& machine);

// Of each memory that several devices work in, by domain (Rule 16).
std::vector<scheduler::Memory> emulated_memories(emulation::Machine& machine);

// Between any two memories, by domain.
std::vector<scheduler::Link> emulated_links(emulation::Machine& machine);

}  // namespace mkmd
