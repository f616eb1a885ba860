// SPDX-License-Identifier: Apache-2.0
// The thread on which the program's own callbacks run (run_callback in process.hpp).
#pragma once

namespace mkmd {

// Called once exit has begun: lets the thread finish, then runs on the caller's thread what is left.
void drain_callbacks();

}  // namespace mkmd
