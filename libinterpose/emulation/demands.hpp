// SPDX-License-Identifier: Apache-2.0
// What the planner's actions ask of an emulated machine. Null everywhere where nothing is emulated.
#pragma once

#include "libinterpose/capture/planner.hpp"
#include "libinterpose/emulation/machine.hpp"

namespace mkmd {

// A piece with this share of the command's work-groups; `whole` is what the whole launch touches, `boxed`
// says that it runs as a sub-kernel.
std::unique_ptr<emulation::Demand> emulated_piece(int device, const Command& command, const BufferUses& whole,
                                                  double share, bool boxed);
std::unique_ptr<emulation::Demand> emulated_transfer(int from, int to, uint64_t bytes, const Memory& root);
// Of a fill or copy inside the home's memory. Null for reads and writes: that memory is the program's own.
std::unique_ptr<emulation::Demand> emulated_memory_command(const Command& command);

}  // namespace mkmd
