// SPDX-License-Identifier: Apache-2.0
// The demands of actions on an emulated machine. They follow from the action and its command.
#pragma once

#include "libinterpose/commands/command.hpp"
#include "libinterpose/emulation/machine.hpp"

#include <optional>

namespace mkmd {

// Null: the action takes no emulated time, as a copy inside the program's memory.
std::optional<emulation::Demand> demand_of(emulation::Machine& machine, const Action& action);

// A share of a launch. `ours`: as a sub-kernel, not as the program's own code.
emulation::Demand demand_of_piece(emulation::Machine& machine, int device, const KernelCommand& command,
                                  double share, bool ours);

}  // namespace mkmd
