// SPDX-License-Identifier: Apache-2.0
// What the planner's actions ask of an emulated machine. `machine`: null where nothing is emulated; then so
// is what is returned.
#pragma once

#include "libinterpose/commands/command.hpp"
#include "libinterpose/emulation/machine.hpp"

namespace mkmd {

// The distinct bytes a whole launch touches, by the machine's reckoning, which takes no emulated time;
// `boxed`: its code is understood, and runs as a sub-kernel. 0 where nothing is emulated.
double emulated_bytes(emulation::Machine* machine, const KernelLaunch& launch, bool boxed);
// A piece with this share of the command's work-groups. `bytes`: the above.
std::unique_ptr<emulation::Demand> emulated_piece(const emulation::Machine* machine, int device,
                                                  const KernelCommand& command, double bytes, double share,
                                                  bool boxed);
std::unique_ptr<emulation::Demand> emulated_transfer(const emulation::Machine* machine, int from, int to,
                                                     uint64_t bytes, const Memory& root);
// Of filling or copying so many bytes inside the device's memory. Reads and writes of the home's ask for
// nothing: that memory is the program's own.
std::unique_ptr<emulation::Demand> emulated_fill_or_copy(const emulation::Machine* machine, int device,
                                                         uint64_t bytes, const Memory& root);

}  // namespace mkmd
