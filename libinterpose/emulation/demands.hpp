// SPDX-License-Identifier: Apache-2.0
// What the planner's actions ask of an emulated machine. Null everywhere where nothing is emulated.
#pragma once

#include "libinterpose/capture/planner.hpp"
#include "libinterpose/emulation/machine.hpp"

namespace mkmd {

// The distinct bytes a whole launch touches, by the machine's reckoning, which takes no emulated time;
// `boxed`: its code is understood, and runs as a sub-kernel. 0 where nothing is emulated.
double emulated_bytes(const KernelLaunch& launch, bool boxed);
// A piece with this share of the command's work-groups. `bytes`: the above.
std::unique_ptr<emulation::Demand> emulated_piece(int device, const Command& command, double bytes,
                                                  double share, bool boxed);
std::unique_ptr<emulation::Demand> emulated_transfer(int from, int to, uint64_t bytes, const Memory& root);
// Of a fill or copy inside the home's memory. Null for reads and writes: that memory is the program's own.
std::unique_ptr<emulation::Demand> emulated_memory_command(const Command& command);

}  // namespace mkmd
