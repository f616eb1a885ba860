// SPDX-License-Identifier: Apache-2.0
// What actions ask of an emulated machine. It follows from the action and from the command it is a part of.
#pragma once

#include "libinterpose/commands/command.hpp"
#include "libinterpose/emulation/machine.hpp"

#include <optional>

namespace mkmd {

// Nothing: copies inside the program's memory and the like take no emulated time.
std::optional<emulation::Demand> demand_of(emulation::Machine& machine, const Action& action);

// A share of a launch. `ours`: as a sub-kernel, not as the program's own code.
emulation::Demand demand_of_piece(emulation::Machine& machine, int device, const KernelCommand& command,
                                  double share, bool ours);

}  // namespace mkmd
