// SPDX-License-Identifier: Apache-2.0
// What the runtimes of a session do when drivers may no longer be able to compile
// (device/driver_compilers.hpp). Exit handlers and destructors of the program may still call OpenCL. Drivers
// may then have destroyed their compilers, and drivers other than home's may have ended. So captured work is
// finished first, and its results are brought home.
// Later launches only repeat code that home's driver has run: the program's own code whole, or pieces of
// ours.
#pragma once

#include "libinterpose/capture/session.hpp"
#include "libinterpose/commands/command.hpp"

#include <optional>

namespace mkmd {

// The main thread ends, and may take the process with it: finishes everything captured.
void finish_all_of(Session& session);
// Before drivers end: finishes everything captured, and brings bytes home.
void settle_all(Session& session);
// Before a fork: what drivers other than home's were given is over, and no thread works or builds with them.
void pause_helpers(Session& session);
// After it, in the parent, on the same thread.
void resume_helpers(Session& session);

// A piece has run.
void note_ran(Session& session, const Action& action);
// Pieces of such a launch that have run on a device which lasts until the process ends. Null: none has.
std::optional<SubKernels::Ran> ran_in_pieces(const KernelLaunch& launch);

}  // namespace mkmd
